import { AUDIO_ENCODINGS, isCompressed, type UncompressedFormat } from '#protocol/core/audio-format.ts';
import type { VendorFailures } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { AudioEvent, AudioPayload, SpeechEvent } from '#protocol/core/speech-event.ts';
import type { Fault } from '#protocol/faults/fault-spec.ts';
import { encodeSamples } from '../audio/output.ts';

/** Times are in ms from the start of its audio. */
interface Chunk {
  audioMs: number;
  /** Up to here all words are known. */
  knownMs: number;
  dropped: { fault: Fault; startMs: number; endMs: number }[];
}

interface Held {
  frame: Frame;
  events: readonly SpeechEvent[];
  /** Null for a frame without uncompressed audio. */
  audio: { event: AudioEvent & UncompressedFormat; chunk: Chunk; startMs: number; endMs: number } | null;
}

/** Audio beyond this is sent before the times of its words are known. */
const MAX_HELD_CHARS = 1024 * 1024;

/** Silences the audio of words. Their times may come behind it, so that it holds frames until they are known. */
export class WordDropper {
  /** Of words that did not come yet. */
  #waiting: readonly Fault[];
  readonly #isInAudioFrames: boolean;
  #words = 0;
  /** The open one of each context. */
  readonly #chunks = new Map<string | null, Chunk>();
  readonly #held: Held[] = [];
  #heldChars = 0;

  constructor(faults: readonly Fault[], { words }: Pick<VendorFailures, 'words'>) {
    this.#waiting = faults.filter(({ name }) => name === 'drop-word');
    this.#isInAudioFrames = Array.isArray(words);
  }

  /** Returns the frames whose words are known, in order, with the faults that changed them. */
  feed(frame: Frame, events: readonly SpeechEvent[]) {
    const held: Held = { frame, events, audio: null };
    for (const event of events) {
      if (event.type === 'audio') held.audio = this.#placed(event);
      else if (event.type === 'words') this.#spoken(event);
      else if ('context' in event && !('isMore' in event)) this.#ended(event.context);
    }
    this.#held.push(held);
    this.#heldChars += frame.length;
    const free = this.#held.findIndex(
      ({ audio }) => audio && this.#waits && audio.endMs > audio.chunk.knownMs,
    );
    return this.release(free < 0 || this.#heldChars > MAX_HELD_CHARS ? undefined : free);
  }

  /** An audio frame has the times of its words, but for the last one, which goes on in the next frame. */
  get #waits(): boolean {
    return this.#waiting.some(({ at }) => !this.#isInAudioFrames || at === this.#words + 1);
  }

  #chunk(context: string): Chunk {
    const chunk = this.#chunks.get(context) ?? { audioMs: 0, knownMs: 0, dropped: [] };
    this.#chunks.set(context, chunk);
    return chunk;
  }

  #placed(event: AudioEvent): Held['audio'] {
    const { context, payload, encoding, sampleRate } = event;
    if (isCompressed(encoding)) return null;
    const chunk = this.#chunk(context);
    const startMs = chunk.audioMs;
    const samples = audioBytes(payload).length / AUDIO_ENCODINGS[encoding].bytesPerSample;
    chunk.audioMs += (1000 * samples) / sampleRate;
    return { event: { ...event, encoding }, chunk, startMs, endMs: chunk.audioMs };
  }

  #spoken({ context, words }: Extract<SpeechEvent, { type: 'words' }>): void {
    const chunk = this.#chunk(context);
    for (const { startMs, endMs } of words) {
      this.#words += 1;
      chunk.knownMs = Math.max(chunk.knownMs, endMs);
      const fault = this.#waiting.find(({ at }) => at === this.#words);
      if (fault) chunk.dropped.push({ fault, startMs, endMs });
    }
    this.#waiting = this.#waiting.filter(({ at }) => Number(at) > this.#words);
  }

  #ended(context: string | null): void {
    for (const [name, chunk] of this.#chunks) {
      if (context !== null && name !== context) continue;
      chunk.knownMs = Number.POSITIVE_INFINITY;
      this.#chunks.delete(name);
    }
  }

  /** Returns the first frames, by default all that are left. */
  release(count = this.#held.length) {
    const released = this.#held.splice(0, count);
    for (const { frame } of released) this.#heldChars -= frame.length;
    return released.map(silenced);
  }
}

/** Writes silence into the parts of dropped words that a frame has. */
function silenced({ frame, events, audio }: Held) {
  const injected: Fault[] = [];
  if (!audio) return { frame, events, injected };
  const { payload, encoding, sampleRate } = audio.event;
  const bytes = audioBytes(payload);
  const [silence] = encodeSamples(encoding, new Int16Array(1));
  const byteAt = (ms: number): number => {
    const sample = Math.max(0, Math.round(((ms - audio.startMs) * sampleRate) / 1000));
    return Math.min(bytes.length, sample * AUDIO_ENCODINGS[encoding].bytesPerSample);
  };
  for (const { fault, startMs, endMs } of audio.chunk.dropped) {
    if (byteAt(startMs) === byteAt(endMs)) continue;
    bytes.fill(silence ?? 0, byteAt(startMs), byteAt(endMs));
    injected.push(fault);
  }
  const changed = withAudio(frame, payload, bytes);
  const silent: SpeechEvent = { ...audio.event, payload: changed.payload };
  return injected.length === 0
    ? { frame, events, injected }
    : { frame: changed.frame, events: [...events.filter(({ type }) => type !== 'audio'), silent], injected };
}

export const audioBytes = (payload: AudioPayload): Buffer =>
  'bytes' in payload ? Buffer.from(payload.bytes) : Buffer.from(payload.base64, 'base64');

/** Puts other audio into a frame. */
export function withAudio(frame: Frame, before: AudioPayload, bytes: Buffer) {
  const base64 = bytes.toString('base64');
  if (typeof frame === 'string' && 'base64' in before) {
    // A replacer function, because text may have the patterns of a replacement.
    return { frame: frame.replace(before.base64, () => base64), payload: { base64 } };
  }
  const changed = new Uint8Array(bytes);
  return { frame: changed, payload: { bytes: changed } };
}
