import type { Clock } from '#lib/clock.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { SAMPLE_RATE } from '#protocol/murmr/wire/limits.ts';
import type { SpeechWriter } from '../answers/speech-body.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { SLOTS_OCCUPIED } from './access.ts';

/** `mode` of a chunk (`facts 7`). */
export type SpeechMode = 'voicedesign' | 'voice_clone';

/** Silence after which a comment is sent (`facts 7`). */
const KEEP_ALIVE_MS = 15_000;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const eventOf = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;

interface Options {
  clock: Clock;
  mode: SpeechMode;
  /** Receives all samples. They are valid during the call only. */
  hear(samples: Int16Array): void;
  /** Called when all audio is there. */
  ended(): void;
}

/** Server-sent events of one generation (`facts 7`; `streaming.md`). */
export function eventWriter({ clock, mode, hear, ended }: Options): SpeechWriter {
  const startedMs = clock.nowMs();
  const cutter = new FrameCutter(SAMPLE_RATE);
  let firstMs: number | null = null;
  const sinceStart = (atMs: number): number => Math.round(atMs - startedMs);
  const chunk = (samples: Int16Array): string => {
    firstMs ??= clock.nowMs();
    return eventOf({
      chunk: Buffer.from(bytesFromSamples(samples)).toString('base64'),
      chunk_index: cutter.count - 1,
      sample_rate: SAMPLE_RATE,
      format: 'pcm_s16le',
      mode,
      first_chunk_latency_ms: sinceStart(firstMs),
    });
  };
  return {
    block(samples) {
      hear(samples);
      return bytesOf([...cutter.push(samples)].map(chunk).join(''));
    },
    end() {
      ended();
      const rest = cutter.end();
      const last = rest ? chunk(rest) : '';
      const done = {
        done: true,
        total_chunks: cutter.count,
        total_time_ms: sinceStart(clock.nowMs()),
        first_chunk_latency_ms: sinceStart(firstMs ?? startedMs),
        sample_rate: SAMPLE_RATE,
      };
      return bytesOf(last + eventOf(done));
    },
    failed: (error) => {
      const why = error instanceof EngineBusyError ? SLOTS_OCCUPIED.message : SPEECH_FAILED;
      return bytesOf(eventOf({ error: why, done: true }));
    },
    keepAlive: { clock, everyMs: KEEP_ALIVE_MS, bytes: bytesOf(': keepalive\n\n') },
  };
}

/** Error of a generation that the engine did not finish. */
export const SPEECH_FAILED = 'Speech generation failed';
