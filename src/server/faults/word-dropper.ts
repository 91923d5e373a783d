import { madeOnce } from '#lib/collections/maps.ts';
import { AUDIO_ENCODINGS, isCompressed, type UncompressedFormat } from '#protocol/core/audio-format.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { type AudioEvent, ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import type { Fault } from '#protocol/faults/fault-spec.ts';
import { encodeSamples } from '../audio/output.ts';

/** Times are in ms from the start of its audio. All words up to `knownMs` are known. */
interface Chunk {
  audioMs: number;
  knownMs: number;
  dropped: { fault: Fault; startMs: number; endMs: number }[];
}

/** A frame for the client, and the words that are dropped in it. */
export interface SilencedFrame {
  frame: Frame;
  events: readonly SpeechEvent[];
  injected: readonly Fault[];
}

interface HeldFrame extends Omit<SilencedFrame, 'injected'> {
  /** Null for a frame without audio that can be silenced. */
  audio: {
    event: AudioEvent;
    format: UncompressedFormat;
    chunk: Chunk;
    startMs: number;
    endMs: number;
  } | null;
}

/** Audio beyond this is sent before the times of its words are known. */
const MAX_HELD_CHARS = 1024 * 1024;

/** Silences the audio of words. Their times may come behind it, so that it holds frames until they are known. */
export class WordDropper {
  readonly #faults: readonly Fault[];
  #words = 0;
  /** The open one of each context. */
  readonly #chunks = new Map<string, Chunk>();
  readonly #held: HeldFrame[] = [];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults.filter(({ name }) => name === 'drop-word');
  }

  /** Returns the frames whose words are known, in order, with the faults that changed them. */
  feed(frame: Frame, events: readonly SpeechEvent[]): SilencedFrame[] {
    const held: HeldFrame = { frame, events, audio: null };
    for (const event of events) {
      if (!('context' in event) || 'isMore' in event) continue;
      const context = event.context ?? ONLY_CONTEXT;
      const chunk = madeOnce(this.#chunks, context, () => ({ audioMs: 0, knownMs: 0, dropped: [] }));
      if (event.type === 'audio') held.audio = placed(event, chunk);
      else if (event.type === 'words') for (const word of event.words) this.#spoken(word, chunk);
      else {
        chunk.knownMs = Number.POSITIVE_INFINITY;
        this.#chunks.delete(context);
      }
    }
    this.#held.push(held);
    const isWaiting = this.#faults.some(({ at }) => Number(at) > this.#words);
    const first = this.#held.findIndex(({ audio }) => audio && audio.endMs > audio.chunk.knownMs);
    const isTooMuch = this.#held.reduce((sum, each) => sum + each.frame.length, 0) > MAX_HELD_CHARS;
    return this.release(first < 0 || !isWaiting || isTooMuch ? undefined : first);
  }

  /** Returns the first frames, by default all that are left. */
  release(count = this.#held.length): SilencedFrame[] {
    return this.#held.splice(0, count).map(silenced);
  }

  #spoken({ startMs, endMs }: { startMs: number; endMs: number }, chunk: Chunk): void {
    this.#words += 1;
    chunk.knownMs = Math.max(chunk.knownMs, endMs);
    const fault = this.#faults.find(({ at }) => at === this.#words);
    if (fault) chunk.dropped.push({ fault, startMs, endMs });
  }
}

/** Adds audio to its chunk. Null for audio without samples, and for bytes, beside which no words come. */
function placed(event: AudioEvent, chunk: Chunk): HeldFrame['audio'] {
  const { encoding, payload, sampleRate } = event;
  if (isCompressed(encoding) || !('base64' in payload)) return null;
  const startMs = chunk.audioMs;
  const samples = Buffer.byteLength(payload.base64, 'base64') / AUDIO_ENCODINGS[encoding].bytesPerSample;
  chunk.audioMs += (1000 * samples) / sampleRate;
  return { event, format: { encoding, sampleRate }, chunk, startMs, endMs: chunk.audioMs };
}

/** Writes silence into the parts of dropped words that a frame has. */
function silenced({ frame, events, audio }: HeldFrame): SilencedFrame {
  const here = audio
    ? audio.chunk.dropped.filter(({ startMs, endMs }) => startMs < audio.endMs && endMs > audio.startMs)
    : [];
  if (!audio || here.length === 0) return { frame, events, injected: [] };
  const { event, format } = audio;
  const [silence = 0] = encodeSamples(format.encoding, new Int16Array(1));
  const byteAt = (ms: number): number =>
    AUDIO_ENCODINGS[format.encoding].bytesPerSample *
    Math.max(0, Math.round(((ms - audio.startMs) * format.sampleRate) / 1000));
  const silent = withAudio(frame, event, (bytes) => {
    for (const { startMs, endMs } of here) bytes.subarray(byteAt(startMs), byteAt(endMs)).fill(silence);
    return bytes;
  });
  return { frame: silent, events, injected: here.map(({ fault }) => fault) };
}

/** Changes the audio of a frame of text, and of its event. */
export function withAudio(frame: Frame, event: AudioEvent, change: (bytes: Buffer) => Buffer): Frame {
  const { payload } = event;
  if (typeof frame !== 'string' || !('base64' in payload)) return frame;
  const base64 = change(Buffer.from(payload.base64, 'base64')).toString('base64');
  event.payload = { base64 };
  // A replacer function, because text may have the patterns of a replacement.
  return frame.replace(payload.base64, () => base64);
}
