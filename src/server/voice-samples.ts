import { remember } from '#lib/remember.ts';
import { encodeWav } from '#lib/wav.ts';
import { type Engine, ORDINARY_SPEECH } from './speech/engine.ts';
import type { Voice } from './speech/voices/voices.ts';

/** Cached files, about 300 KB each. */
const MAX_KEPT = 32;

export interface VoiceSamples {
  /** WAV file of the voice's sample text. Rejects when the engine fails. */
  of(voice: Voice): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/** Synthesises samples on first use. Concurrent requests share one synthesis. */
export function createVoiceSamples(engine: Engine): VoiceSamples {
  /** Least recently used first. */
  const kept = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();
  const stop = new AbortController();
  return {
    of(voice) {
      const sample = kept.get(voice.id) ?? synthesize(engine, voice, stop.signal);
      remember(kept, voice.id, sample, MAX_KEPT);
      sample.catch(() => {
        if (kept.get(voice.id) === sample) kept.delete(voice.id);
      });
      return sample;
    },
    close: () => stop.abort(new Error('the server is shutting down')),
  };
}

async function synthesize(
  engine: Engine,
  voice: Voice,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Int16Array[] = [];
  // All samples share one fairness key, so that they never starve sessions.
  const request = { ...ORDINARY_SPEECH, text: voice.sampleText, voice, session: 'voice samples' };
  for await (const { samples } of engine.synthesize(request, signal)) blocks.push(samples);
  const all = new Int16Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return encodeWav(all, request.sampleRate);
}
