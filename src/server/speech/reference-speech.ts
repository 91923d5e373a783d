import { ANALYSED_HZ } from '#lib/alignment/mel-bands.ts';
import { addAll } from '#lib/collections/arrays.ts';
import { joinedSamples } from '#lib/pcm.ts';
import { type Engine, ORDINARY_SPEECH, type WordTiming } from './engine.ts';
import type { Language } from './languages.ts';
import { VOICES } from './voices/voices.ts';

/** The speech of a text at `ANALYSED_HZ`, with exact word times, by which the words are found in the sound of other voices. */
export interface ReferenceSpeech {
  readonly samples: Int16Array<ArrayBuffer>;
  readonly words: readonly WordTiming[];
}

/** A text of digits or pauses can play for many minutes. Words behind that have no times. */
const MAX_SAMPLES = 60 * ANALYSED_HZ;

/**
 * @param engine espeak, because other engines report no exact times
 * @param language undefined for that of the text
 * @throws the reason of `signal`, and what the engine throws
 */
export async function speakReference(
  engine: Engine,
  { text, language }: { text: string; language: Language | undefined },
  signal: AbortSignal,
): Promise<ReferenceSpeech> {
  const [voice] = VOICES;
  const request = {
    ...ORDINARY_SPEECH,
    text,
    language,
    voice,
    sampleRate: ANALYSED_HZ,
    session: 'reference',
  };
  const blocks: Int16Array[] = [];
  const words: WordTiming[] = [];
  let length = 0;
  for await (const block of engine.synthesize(request, signal)) {
    blocks.push(block.samples);
    addAll(words, block.words);
    length += block.samples.length;
    if (length >= MAX_SAMPLES) break;
  }
  return { samples: joinedSamples(blocks), words };
}
