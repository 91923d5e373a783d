import { AUDIO_ENCODINGS, isCompressed, type UncompressedFormat } from '#protocol/core/audio-format.ts';
import type { VendorFailures } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { AudioEvent, AudioPayload, SpeechEvent } from '#protocol/core/speech-event.ts';
import type { Fault } from '#protocol/faults/fault-spec.ts';
import { encodeSamples } from '../audio/output.ts';

/** Times are in ms from the start of its audio. All words up to `knownMs` are known. */
interface Chunk {
  audioMs: number;
  knownMs: number;
  dropped: { fault: Fault; startMs: number; endMs: number }[];
}

interface HeldFrame {
  frame: Frame;
  events: readonly SpeechEvent[];
  injected: Fault[];
  /** Null for a frame without uncompressed audio. */
  audio: { event: AudioEvent & UncompressedFormat; chunk: Chunk; startMs: number; endMs: number } | null;
}

/** Audio beyond this is sent before the times of its words are known. */
const MAX_HELD_CHARS = 1024 * 1024;

/** Silences the audio of words. Their times may come behind it, so that it holds frames until they are known. */
export class WordDropper {
  #waiting: readonly Fault[];
  readonly #isInAudioFrames: boolean;
  #words = 0;
  /** The open one of each context. */
  readonly #chunks = new Map<string, Chunk>();
  readonly #held: HeldFrame[] = [];

  constructor(faults: readonly Fault[], { words }: Pick<VendorFailures, 'words'>) {
    this.#waiting = faults.filter(({ name }) => name === 'drop-word');
    this.#isInAudioFrames = Array.isArray(words);
  }

  /** Returns the frames whose words are known, in order, with the faults that changed them. */
  feed(frame: Frame, events: readonly SpeechEvent[]): HeldFrame[] {
    const held: HeldFrame = { frame, events, injected: [], audio: null };
    for (const event of events) {
      if (event.type === 'audio') held.audio = this.#placed(event);
      else if (event.type === 'words') this.#spoken(event);
      else if ('context' in event && !('isMore' in event)) this.#ended(event.context);
    }
    this.#held.push(held);
    // An audio frame has the times of its words, but for the last one, which goes on in the next frame.
    const waits = this.#waiting.some(({ at }) => !this.#isInAudioFrames || at === this.#words + 1);
    const first = this.#held.findIndex(({ audio }) => audio && waits && audio.endMs > audio.chunk.knownMs);
    const isTooMuch = this.#held.reduce((sum, each) => sum + each.frame.length, 0) > MAX_HELD_CHARS;
    return this.release(first < 0 || isTooMuch ? undefined : first);
  }

  /** Returns the first frames, by default all that are left. */
  release(count = this.#held.length): HeldFrame[] {
    return this.#held.splice(0, count).map(silenced);
  }

  #chunk(context: string): Chunk {
    const chunk = this.#chunks.get(context) ?? { audioMs: 0, knownMs: 0, dropped: [] };
    this.#chunks.set(context, chunk);
    return chunk;
  }

  #placed(event: AudioEvent): HeldFrame['audio'] {
    const { encoding } = event;
    if (isCompressed(encoding)) return null;
    const chunk = this.#chunk(event.context);
    const startMs = chunk.audioMs;
    const samples = audioBytes(event.payload).length / AUDIO_ENCODINGS[encoding].bytesPerSample;
    chunk.audioMs += (1000 * samples) / event.sampleRate;
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

  /** @param context null for all */
  #ended(context: string | null): void {
    for (const [name, chunk] of this.#chunks) {
      if (context !== null && name !== context) continue;
      chunk.knownMs = Number.POSITIVE_INFINITY;
      this.#chunks.delete(name);
    }
  }
}

/** Writes silence into the parts of dropped words that a frame has. */
function silenced(held: HeldFrame): HeldFrame {
  if (!held.audio) return held;
  const { event, chunk, startMs: frameMs } = held.audio;
  const bytes = audioBytes(event.payload);
  const [silence = 0] = encodeSamples(event.encoding, new Int16Array(1));
  const byteAt = (ms: number): number => {
    const sample = Math.max(0, Math.round(((ms - frameMs) * event.sampleRate) / 1000));
    return Math.min(bytes.length, sample * AUDIO_ENCODINGS[event.encoding].bytesPerSample);
  };
  const here = chunk.dropped.filter(({ startMs, endMs }) => byteAt(startMs) < byteAt(endMs));
  if (here.length === 0) return held;
  for (const { startMs, endMs } of here) bytes.fill(silence, byteAt(startMs), byteAt(endMs));
  const { frame, payload } = withAudio(held.frame, event.payload, bytes);
  const events = held.events.map((each) => (each.type === 'audio' ? { ...each, payload } : each));
  return { ...held, frame, events, injected: here.map(({ fault }) => fault) };
}

export const audioBytes = (payload: AudioPayload): Buffer =>
  'bytes' in payload ? Buffer.from(payload.bytes) : Buffer.from(payload.base64, 'base64');

/** Puts other audio into a frame. */
export function withAudio(frame: Frame, before: AudioPayload, bytes: Buffer) {
  const changed = new Uint8Array(bytes);
  if (typeof frame !== 'string' || 'bytes' in before) return { frame: changed, payload: { bytes: changed } };
  const base64 = bytes.toString('base64');
  // A replacer function, because text may have the patterns of a replacement.
  return { frame: frame.replace(before.base64, () => base64), payload: { base64 } };
}
