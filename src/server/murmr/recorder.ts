import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '#lib/clock.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { type FileMemory, NEEDED_BY_OTHERS } from '../answers/file-body.ts';
import { type AudioFile, type AudioFileFormat, writeAudioFile } from '../audio/audio-file.ts';
import { type Engine, EngineBusyError, type SpeechBlock, type SpeechRequest } from '../speech/engine.ts';
import type { Peer } from '../state/shares.ts';

/** Recordings of one session made at a time. */
const MAX_AT_A_TIME = 8;
const MAX_MINUTES = 20;

/** The speech exceeds `MAX_MINUTES`. Digits and pauses can make it long. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor() {
    super(`text is too long to be spoken in one file: expected at most ${MAX_MINUTES} minutes of speech`);
  }
}

/** A recording, and how long it took to make. */
export interface Recorded extends AudioFile {
  readonly totalMs: number;
}

export interface RecordingRequest {
  speech: SpeechRequest;
  format: AudioFileFormat;
  signal: AbortSignal;
  /** Whose recording it is. */
  peer: Peer;
  /** Called when the synthesis starts. */
  started?(): void;
  /** Receives all samples. They are valid during the call only. */
  hear?(samples: Int16Array): void;
}

/** Makes a whole recording. Rejects with `TooLong`, or when the engine fails or the signal aborts. */
export type SpeechRecorder = (request: RecordingRequest) => Promise<Recorded>;

/**
 * A recorder on the engine. Recordings of a session beyond `MAX_AT_A_TIME` wait, and so do those of the peer that holds most while
 * the memory of files is full. One that loses its memory to other peers rejects with an `EngineBusyError`.
 */
export function createRecorder(engine: Engine, clock: Clock, files: FileMemory): SpeechRecorder {
  const limits = new Map<string, LimitFunction>();
  const make = async (request: RecordingRequest, askedMs: number): Promise<Recorded> => {
    const { speech, format, signal, peer, started } = request;
    await files.room(peer, signal);
    started?.();
    const lost = new AbortController();
    const held = files.hold(peer, 0, () => lost.abort(new EngineBusyError(NEEDED_BY_OTHERS)));
    try {
      const until = AbortSignal.any([signal, lost.signal]);
      const blocks = heard(engine, { ...request, signal: until }, held.resize);
      const file = await writeAudioFile(blocks, format, speech.sampleRate, peer);
      until.throwIfAborted();
      return { ...file, totalMs: Math.round(clock.nowMs() - askedMs) };
    } finally {
      held.release();
    }
  };
  return async (request) => {
    const { session } = request.speech;
    const limit = madeOnce(limits, session, () => pLimit(MAX_AT_A_TIME));
    const askedMs = clock.nowMs();
    try {
      return await limit(() => make(request, askedMs));
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(session);
    }
  };
}

/** @param held receives the bytes so far of an uncompressed file, the largest one */
async function* heard(
  engine: Engine,
  { speech, signal, hear }: RecordingRequest,
  held: (bytes: number) => void,
): AsyncGenerator<SpeechBlock> {
  const most = MAX_MINUTES * 60 * speech.sampleRate;
  let samples = 0;
  for await (const block of engine.synthesize(speech, signal)) {
    samples += block.samples.length;
    if (samples > most) throw new TooLong();
    held(samples * block.samples.BYTES_PER_ELEMENT);
    hear?.(block.samples);
    yield block;
    signal.throwIfAborted();
  }
}
