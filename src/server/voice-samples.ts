import { remember } from '#lib/remember.ts';
import { writeAudioFile } from './audio-file.ts';
import { type Engine, ORDINARY_SPEECH, type SpeechRequest } from './speech/engine.ts';
import type { EngineVoice } from './speech/voices/voices.ts';

/** Cached files, about 300 KB each. */
const MAX_KEPT = 32;

/** A voice and the text of its sample, in its first language. */
type SampledVoice = EngineVoice & { readonly sampleText: string };

export interface VoiceSamples {
  /** WAV file of the voice's sample text. Rejects when the engine fails. */
  of(voice: SampledVoice): Promise<Uint8Array<ArrayBuffer>>;
  /** WAV file of a request. Rejects when the engine fails. */
  speak(request: Omit<SpeechRequest, 'session'>): Promise<Uint8Array<ArrayBuffer>>;
  close(): void;
}

/** Synthesises samples on first use. Concurrent requests share one synthesis. */
export function createVoiceSamples(engine: Engine): VoiceSamples {
  /** By all that is heard, because created voices change. Least recently used first. */
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const stop = new AbortController();
  const synthesize = async (request: Omit<SpeechRequest, 'session'>): Promise<Uint8Array<ArrayBuffer>> => {
    // All samples share one fairness key, so that they never starve sessions.
    const blocks = engine.synthesize({ ...request, session: 'voice samples' }, stop.signal);
    return (await writeAudioFile(blocks, 'wav', request.sampleRate)).bytes;
  };
  const speak: VoiceSamples['speak'] = (request) => {
    const { languages, espeak } = request.voice;
    const key = JSON.stringify({ ...request, voice: [languages[0], espeak] });
    const sample = kept.get(key) ?? synthesize(request);
    remember(kept, key, sample, MAX_KEPT);
    sample.catch(() => {
      if (kept.get(key) === sample) kept.delete(key);
    });
    return sample;
  };
  return {
    speak,
    of: (voice) => speak({ ...ORDINARY_SPEECH, text: voice.sampleText, voice }),
    close: () => stop.abort(new Error('the server is shutting down')),
  };
}
