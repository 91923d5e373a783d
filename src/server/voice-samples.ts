import { encodeWav } from '#lib/wav.ts';
import type { Engine } from './speech/engine.ts';
import type { Voice } from './speech/voices/voices.ts';

const SAMPLE_RATE = 24_000;
/** Cached files, about 300 KB each. */
const MAX_KEPT = 32;

export interface VoiceSamples {
  /** WAV file of the voice's sample text. Rejects when the engine fails. */
  of(voice: Voice): Promise<Uint8Array>;
  close(): void;
}

/** Synthesises samples on first use. Concurrent requests share one synthesis. */
export function createVoiceSamples(engine: Engine): VoiceSamples {
  /** Least recently used first. */
  const kept = new Map<number, Promise<Uint8Array>>();
  const stop = new AbortController();
  return {
    of(voice) {
      const sample = kept.get(voice.id) ?? synthesize(engine, voice, stop.signal);
      kept.delete(voice.id);
      kept.set(voice.id, sample);
      sample.catch(() => {
        if (kept.get(voice.id) === sample) kept.delete(voice.id);
      });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return sample;
    },
    close: () => stop.abort(new Error('the server is shutting down')),
  };
}

async function synthesize(engine: Engine, voice: Voice, signal: AbortSignal): Promise<Uint8Array> {
  const blocks: Int16Array[] = [];
  const request = {
    text: voice.sampleText,
    voice,
    sampleRate: SAMPLE_RATE,
    speed: 1,
    variation: 0.4,
    language: undefined,
    normalize: true,
    pronunciations: [],
    // All samples share one fairness key, so that they never starve sessions.
    session: 'voice samples',
  } as const;
  for await (const { samples } of engine.synthesize(request, signal)) blocks.push(samples);
  const all = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return encodeWav(all, SAMPLE_RATE);
}
