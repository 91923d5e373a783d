import { ANALYSED_HZ } from '#lib/alignment/mel-bands.ts';
import { encodeBase64 } from '#lib/base64.ts';
import { remember } from '#lib/collections/maps.ts';
import { bytesFromSamples, joinedSamples } from '#lib/pcm.ts';
import type { ReferenceAnswer, ReferenceRequest } from '#protocol/reference-messages.ts';
import type { ReferenceSource } from '#trace/words/text-search.ts';
import { type Engine, ORDINARY_SPEECH } from './engine.ts';
import { createEspeakEngine, EngineMissingError, ESPEAK_NAME } from './espeak/espeak-engine.ts';
import { isLanguage } from './languages.ts';
import { VOICES } from './voices/voices.ts';

/** A text of digits or pauses can play for many minutes. Words behind that have no times. */
const MAX_SAMPLES = 60 * ANALYSED_HZ;

/**
 * Returns the speech of a text with exact word times, by which the words are found in the sound of other voices.
 * @param engine espeak, because other engines report no exact times
 * @throws the reason of `signal`, and what the engine throws
 */
export async function speakReference(
  engine: Engine,
  { text, language }: ReferenceRequest,
  signal: AbortSignal,
): Promise<ReferenceAnswer> {
  const [voice] = VOICES;
  const request = {
    ...ORDINARY_SPEECH,
    text,
    language: language !== null && isLanguage(language) ? language : undefined,
    voice,
    sampleRate: ANALYSED_HZ,
    session: 'reference',
  };
  const blocks: Int16Array[] = [];
  const words: ReferenceAnswer['words'] = [];
  let length = 0;
  for await (const block of engine.synthesize(request, signal)) {
    blocks.push(block.samples);
    for (const { startMs, endMs, charStart, charEnd } of block.words)
      words.push({ startMs, endMs, charStart, charEnd });
    length += block.samples.length;
    if (length >= MAX_SAMPLES) break;
  }
  return { engine: ESPEAK_NAME, samples: encodeBase64(bytesFromSamples(joinedSamples(blocks))), words };
}

/** Texts whose speech is kept, each of at most 1.3 MB. A text that is spoken twice is requested twice. */
const MAX_KEPT = 12;

/** Returns `speak` with a memory of its last answers. Failures are not kept. */
export function keepReferences<Answer>(
  speak: (request: ReferenceRequest) => Promise<Answer>,
): (request: ReferenceRequest) => Promise<Answer> {
  /** By language and text. Least recently used first. */
  const kept = new Map<string, Promise<Answer>>();
  return (request) => {
    const key = `${request.language} ${request.text}`;
    const known = kept.get(key);
    const answer = known ?? speak(request);
    if (!known) answer.catch(() => kept.delete(key));
    remember(kept, key, answer, MAX_KEPT);
    return answer;
  };
}

/** References of an espeak of one's own, which starts with the first text; null where it is not installed. */
export function openReferences(): { source: ReferenceSource; close(): Promise<void> } {
  let opening: Promise<Engine | null> | null = null;
  const ending = new AbortController();
  return {
    source: keepReferences(async (request) => {
      opening ??= createEspeakEngine({ threads: 1 }).catch((error: unknown) => {
        if (error instanceof EngineMissingError) return null;
        throw error;
      });
      const engine = await opening;
      return engine && speakReference(engine, request, ending.signal);
    }),
    async close() {
      ending.abort();
      await (await opening)?.close();
    },
  };
}
