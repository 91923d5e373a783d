import pLimit from 'p-limit';
import { remember } from '#lib/collections/maps.ts';
import { writeAudioFile } from './audio/audio-file.ts';
import { type Engine, ORDINARY_SPEECH, type SpeechBlock, type SpeechRequest } from './speech/engine.ts';
import type { EngineVoice } from './speech/voices/voices.ts';

/** Cached files, about 300 KB each, and their bytes together. */
const MAX_KEPT = 32;
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Samples end here, because a text of digits or pauses can play for many minutes. */
const MAX_SECONDS = 60;
const MAX_AT_A_TIME = 2;

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
  const kept = new Map<string, { file: Promise<Uint8Array<ArrayBuffer>>; bytes: number }>();
  const limit = pLimit(MAX_AT_A_TIME);
  const stop = new AbortController();
  const synthesize = async (request: Omit<SpeechRequest, 'session'>): Promise<Uint8Array<ArrayBuffer>> => {
    // All samples share one fairness key, so that they never starve sessions.
    const blocks = engine.synthesize({ ...request, session: 'voice samples' }, stop.signal);
    const beginning = firstSamples(blocks, MAX_SECONDS * request.sampleRate);
    return (await writeAudioFile(beginning, 'wav', request.sampleRate)).bytes;
  };
  /** Evicts files beyond the limit of bytes. Unfinished ones count nothing. */
  const evict = () => {
    let bytes = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0);
    for (const [key, each] of kept) {
      if (bytes <= MAX_KEPT_BYTES) break;
      kept.delete(key);
      bytes -= each.bytes;
    }
  };
  const speak: VoiceSamples['speak'] = (request) => {
    const { languages, espeak, handle, sex } = request.voice;
    const key = JSON.stringify({ ...request, voice: [languages[0], espeak, handle, sex] });
    const known = kept.get(key);
    const sample = known ?? { file: limit(() => synthesize(request)), bytes: 0 };
    remember(kept, key, sample, MAX_KEPT);
    if (known) return known.file;
    sample.file.then(
      ({ length }) => {
        sample.bytes = length;
        evict();
      },
      () => {
        if (kept.get(key) === sample) kept.delete(key);
      },
    );
    return sample.file;
  };
  return {
    speak,
    of: (voice) => speak({ ...ORDINARY_SPEECH, text: voice.sampleText, voice }),
    close: () => stop.abort(new Error('the server is shutting down')),
  };
}

/** Yields blocks up to a number of samples. */
async function* firstSamples(blocks: AsyncIterable<SpeechBlock>, max: number): AsyncGenerator<SpeechBlock> {
  let left = max;
  for await (const { samples, words } of blocks) {
    yield { samples: samples.subarray(0, left), words };
    left -= samples.length;
    if (left <= 0) return;
  }
}
