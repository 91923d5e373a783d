import { remember } from '#lib/remember.ts';
import { encodeWav } from '#lib/wav.ts';
import { type Engine, ORDINARY_SPEECH } from './speech/engine.ts';
import type { EngineVoice } from './speech/voices/voices.ts';

/** Cached files, about 300 KB each. */
const MAX_KEPT = 32;

/** A voice and the text of its sample, in its first language. */
type SampledVoice = EngineVoice & { readonly sampleText: string };

export interface VoiceSamples {
  /** WAV file of the voice's sample text. Rejects when the engine fails. */
  of(voice: SampledVoice): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/** Synthesises samples on first use. Concurrent requests share one synthesis. */
export function createVoiceSamples(engine: Engine): VoiceSamples {
  /** By all that is heard, because created voices change. Least recently used first. */
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const stop = new AbortController();
  return {
    of(voice) {
      const { languages, espeak, sampleText } = voice;
      const key = JSON.stringify([languages[0], espeak, sampleText]);
      const sample = kept.get(key) ?? synthesize(engine, voice, stop.signal);
      remember(kept, key, sample, MAX_KEPT);
      sample.catch(() => {
        if (kept.get(key) === sample) kept.delete(key);
      });
      return sample;
    },
    close: () => stop.abort(new Error('the server is shutting down')),
  };
}

async function synthesize(
  engine: Engine,
  voice: SampledVoice,
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
