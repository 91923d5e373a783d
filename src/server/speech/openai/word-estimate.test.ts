import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, ORDINARY_SPEECH, type WordTiming } from '../engine.ts';
import { createEspeakEngine } from '../espeak/espeak-engine.ts';
import type { Language } from '../languages.ts';
import type { MappedText } from '../text/mapped-text.ts';
import { writtenWords } from '../text/words.ts';
import { LOCAL_CATALOGUE } from '../voices/voice-catalogue.ts';
import { estimateSounds, LevelTracker } from './word-estimate.ts';

/** espeak knows when it says each word, so that an estimate from its sound alone can be compared. */

let engine: Engine;
beforeAll(async () => {
  engine = await createEspeakEngine({ threads: 1 });
}, 60_000);
afterAll(() => engine.close());

const RATE = 16_000;

async function spoken(text: string, handle: string, language: Language) {
  const voice = LOCAL_CATALOGUE.find(handle);
  if (!voice) throw new Error(`no voice ${handle}`);
  const words: WordTiming[] = [];
  const tracker = new LevelTracker(RATE);
  let samples = 0;
  const request = {
    ...ORDINARY_SPEECH,
    text,
    voice,
    language,
    sampleRate: RATE,
    session: 'estimate',
  } as const;
  for await (const block of engine.synthesize(request, new AbortController().signal)) {
    tracker.push(block.samples);
    words.push(...block.words);
    samples += block.samples.length;
  }
  return { words, tracker, audioMs: (samples * 1000) / RATE };
}

const asWritten = (text: string): MappedText => ({
  text,
  sourceAt: Array.from({ length: text.length }, (_, at) => at),
});

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const TEXTS: [string, string, Language][] = [
  ['The quick brown fox jumps over the lazy dog, and runs along the river.', 'marta', 'en'],
  [
    'It was late. Nobody had expected him, least of all his brother; still, the door was open, and a light burned in the hall.',
    'rupert',
    'en',
  ],
  [
    'Please call 555 1234 before 9:30, or write to us: we answer within two days. Thank you for your patience!',
    'grace',
    'en',
  ],
  [
    'Guten Tag, Ihr Termin ist am Donnerstag um vierzehn Uhr dreißig. Bitte bringen Sie Ihren Ausweis mit, sonst dauert es länger.',
    'hans',
    'de',
  ],
  [
    'Bonjour, je vous écoute. Il fait beau aujourd’hui, et nous partons à la campagne avec des amis.',
    'etienne',
    'fr',
  ],
];

describe('words estimated from the sound', () => {
  it.each(TEXTS)('%s', async (text, handle, language) => {
    const { words, tracker, audioMs } = await spoken(text, handle, language);
    const sounds = estimateSounds(asWritten(text), tracker, 0);
    const starts = words.map(({ startMs }) => startMs);
    expect(sounds.map(({ source }) => source)).toEqual(words.map(({ charStart }) => charStart));
    const deviation = mean(sounds.map(({ startMs }, at) => Math.abs(startMs - (starts[at] ?? 0))));
    // The simplest estimate: time in proportion to characters.
    const simple = mean(
      words.map(({ charStart }, at) => Math.abs((audioMs * charStart) / text.length - (starts[at] ?? 0))),
    );
    expect(deviation).toBeLessThan(130);
    expect(deviation).toBeLessThan(simple * 0.9);
  });

  it('are none in silence', () => {
    const tracker = new LevelTracker(RATE);
    tracker.push(new Int16Array(RATE));
    expect(estimateSounds(asWritten('Hello there.'), tracker, 0)).toEqual([]);
  });

  it('are all there, in order and within the sound, for any runs of sound', () => {
    const run = fc.record({
      soundMs: fc.integer({ min: 10, max: 900 }),
      silenceMs: fc.integer({ min: 0, max: 900 }),
    });
    const text = fc.array(fc.constantFrom('one', 'two,', '12.50', 'half-hearted.', '今日は', '🙂'), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 20 }), text, (runs, parts) => {
        const written = parts.join(' ');
        const tracker = new LevelTracker(RATE);
        let ms = 0;
        for (const { soundMs, silenceMs } of runs) {
          tracker.push(new Int16Array((soundMs * RATE) / 1000).fill(9000));
          tracker.push(new Int16Array((silenceMs * RATE) / 1000));
          ms += soundMs + silenceMs;
        }
        const sounds = estimateSounds(asWritten(written), tracker, 1000);
        expect(sounds.map(({ source }) => source)).toEqual(writtenWords(written).map(({ start }) => start));
        let last = 1000;
        for (const { startMs, endMs } of sounds) {
          expect(startMs).toBeGreaterThanOrEqual(last - 1e-6);
          expect(endMs).toBeGreaterThan(startMs);
          last = endMs;
        }
        expect(last).toBeLessThanOrEqual(1000 + ms);
      }),
      { numRuns: 60 },
    );
  });
});
