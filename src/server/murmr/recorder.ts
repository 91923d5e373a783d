import pLimit from 'p-limit';
import type { Clock } from '#lib/clock.ts';
import type { UnreadFiles } from '../answers/file-body.ts';
import { type AudioFile, type AudioFileFormat, writeAudioFile } from '../audio/audio-file.ts';
import type { Engine, SpeechBlock, SpeechRequest } from '../speech/engine.ts';

/** Recordings made at a time. Each takes up to 115 MB: its samples, and the file that they become. */
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
  /** Called when the synthesis starts. */
  started?(): void;
  /** Receives all samples. They are valid during the call only. */
  hear?(samples: Int16Array): void;
}

/** Makes a whole recording. Rejects with `TooLong`, or when the engine fails or the signal aborts. */
export type SpeechRecorder = (request: RecordingRequest) => Promise<Recorded>;

/** A recorder on the engine. Recordings beyond `MAX_AT_A_TIME` wait, and all wait while there is no room for files. */
export function createRecorder(engine: Engine, clock: Clock, unread: UnreadFiles): SpeechRecorder {
  const limit = pLimit(MAX_AT_A_TIME);
  return (request) => {
    const askedMs = clock.nowMs();
    return limit(async () => {
      const { speech, format, signal, started } = request;
      signal.throwIfAborted();
      await unread.room();
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
  let left = MAX_MINUTES * 60 * speech.sampleRate;
  for await (const block of engine.synthesize(speech, signal)) {
    left -= block.samples.length;
    if (left < 0) throw new TooLong();
    hear?.(block.samples);
    yield block;
  }
}
