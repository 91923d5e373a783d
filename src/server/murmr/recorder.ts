import pLimit from 'p-limit';
import type { Clock } from '#lib/clock.ts';
import { type AudioFile, type AudioFileFormat, writeAudioFile } from '../audio-file.ts';
import type { Engine, SpeechBlock, SpeechRequest } from '../speech/engine.ts';

/** Recordings made at a time. Each takes up to 15 MB, and waiting ones nearly nothing. */
const MAX_AT_A_TIME = 8;

/** A recording, and how long it took to make. */
export interface Recorded extends AudioFile {
  readonly totalMs: number;
}

export interface RecordingRequest {
  speech: SpeechRequest;
  format: AudioFileFormat;
  signal: AbortSignal;
  /** Called when the synthesis starts. */
  started?(): void;
  /** Receives all samples. They are valid during the call only. */
  hear?(samples: Int16Array): void;
}

/** Makes a whole recording. Rejects when the engine fails or the signal aborts. */
export type SpeechRecorder = (request: RecordingRequest) => Promise<Recorded>;

/** A recorder on the engine. Recordings beyond `MAX_AT_A_TIME` wait. */
export function createRecorder(engine: Engine, clock: Clock): SpeechRecorder {
  const limit = pLimit(MAX_AT_A_TIME);
  return (request) => {
    const askedMs = clock.nowMs();
    return limit(async () => {
      const { speech, format, signal, started } = request;
      signal.throwIfAborted();
      started?.();
      const file = await writeAudioFile(heard(engine, request), format, speech.sampleRate);
      return { ...file, totalMs: Math.round(clock.nowMs() - askedMs) };
    });
  };
}

async function* heard(
  engine: Engine,
  { speech, signal, hear }: RecordingRequest,
): AsyncGenerator<SpeechBlock> {
  for await (const block of engine.synthesize(speech, signal)) {
    hear?.(block.samples);
    yield block;
  }
}
