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
    return this.#release(free < 0 || this.#heldChars > MAX_HELD_CHARS ? this.#held.length : free);
  }

  /** Returns what is left when the server sends nothing more. */
  end() {
    return this.#release(this.#held.length);
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

  #release(count: number) {
    const released = this.#held.splice(0, count);
    for (const { frame } of released) this.#heldChars -= frame.length;
    return released.map(silenced);
  }
}

/** Writes silence into the parts of dropped words that a frame has. */
function silenced({ frame, events, audio }: Held) {
  const injected: Fault[] = [];
  if (!audio) return { frame, events, injected };
  const { chunk, event, startMs: fromMs } = audio;
  const { payload, encoding, sampleRate } = event;
  const { bytesPerSample } = AUDIO_ENCODINGS[encoding];
  const bytes = audioBytes(payload);
  const byteAt = (ms: number): number =>
    bytesPerSample * Math.max(0, Math.round(((ms - fromMs) * sampleRate) / 1000));
  for (const { fault, startMs, endMs } of chunk.dropped) {
    const part = bytes.subarray(byteAt(startMs), byteAt(endMs));
    if (part.length === 0) continue;
    const silence = encodeSamples(encoding, new Int16Array(Math.ceil(part.length / bytesPerSample)));
    part.set(silence.subarray(0, part.length));
    injected.push(fault);
  }
  if (injected.length === 0) return { frame, events, injected };
  const changed = withAudio(frame, payload, bytes);
  const { payload: silent } = changed;
  const heard = events.map((each) => (each.type === 'audio' ? { ...each, payload: silent } : each));
  return { frame: changed.frame, events: heard, injected };
}

export const audioBytes = (payload: AudioPayload): Buffer =>
  'bytes' in payload ? Buffer.from(payload.bytes) : Buffer.from(payload.base64, 'base64');

/** Puts other audio into a frame, which stays as it is where its audio is not found. */
export function withAudio(
  frame: Frame,
  before: AudioPayload,
  bytes: Buffer,
): { frame: Frame; payload: AudioPayload } {
  if (typeof frame !== 'string' || 'bytes' in before) {
    const changed = new Uint8Array(bytes);
    return { frame: changed, payload: { bytes: changed } };
  }
  const base64 = bytes.toString('base64');
  // A replacer function, because text may have the patterns of a replacement.
  return { frame: frame.replace(before.base64, () => base64), payload: { base64 } };
}
