import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../languages.ts';
import { TRAITS } from './description-words.ts';
import { variantFiles } from './espeak-voice-files.ts';
import { describedVoice } from './voice-description.ts';

const VARIANTS = new Set(variantFiles().map(({ name }) => name));

function shape(description: string, language = 'en') {
  const { voice, variation } = describedVoice(description, language);
  return { ...voice.espeak, variation };
}

/** Beside one another in all but the words: chance depends on the description, so it is kept within its leeway. */
const PLAIN = { pitch: 50, wordsPerMinute: 168, variation: 0.42 };
const pitchLeeway = 5;

it.each([
  ['A deep old man', /^vw-old-m-clear$/],
  ['a bright young girl', /^vw-girl-bright$/],
  ['A middle-aged woman, warm and friendly', /^vw-woman-[12]-warm$/],
  ['young woman', /^vw-woman-[123]-clear$/],
  ['teenage girl', /^vw-teen-f-/],
  ['a child', /^vw-(boy|girl)-/],
  ['a deep male voice', /^vw-man-2-/],
  ['high-pitched man', /^vw-man-3-/],
  ['A grandfatherly storyteller', /^vw-old-m-/],
  ['a woman in her 60s', /^vw-old-f-/],
  ['a woman in her twenties', /^vw-woman-/],
  ['a 7-year-old boy', /^vw-boy-/],
  ['a 16 year old girl', /^vw-teen-f-/],
  ['female, aged 40', /^vw-woman-/],
  ['80 years old man', /^vw-old-m-/],
  ['a whispering man', /^vw-man-\d-whisper$/],
  ['soft-spoken woman', /^vw-woman-\d-breathy$/],
  ['robotic', /-robot$/],
  ['an old woman telling a story to a boy', /^vw-old-f-/],
  ['a woman with a boyish charm', /^vw-woman-/],
  ['a mother reading to her young daughter, a child', /^vw-woman-/],
  ['an adult girl', /^vw-woman-/],
  ['a man, not old', /^vw-man-/],
  ['a man, not young', /^vw-man-[12]-/],
  ['not a man', /^vw-(woman|girl|teen-f|old-f)/],
  ['not female', /^vw-man-/],
  ['a woman, not a whisper', /^vw-woman-\d-clear$/],
  ['a woman, not robotic or raspy but warm', /^vw-woman-\d-warm$/],
  ['not old but a child', /^vw-(boy|girl)-/],
])('sex, age and timbre of “%s” choose the variant', (description, variant) => {
  expect(shape(description).variant).toMatch(variant);
});

describe('scales', () => {
  it.each([
    ['deep man', 'pitch', -1],
    ['high-pitched man', 'pitch', 1],
    ['very slow man', 'wordsPerMinute', -1],
    ['measured man', 'wordsPerMinute', -1],
    ['brisk man', 'wordsPerMinute', 1],
    ['excited man', 'wordsPerMinute', 1],
    ['calm man', 'wordsPerMinute', -1],
    ['calm man', 'variation', -1],
    ['monotone man', 'variation', -1],
    ['energetic man', 'variation', 1],
    ['excited man', 'variation', 1],
  ] as const)('%s moves %s by %i', (description, scale, direction) => {
    const moved = shape(description)[scale] - PLAIN[scale];
    expect(Math.sign(moved)).toBe(direction);
    expect(Math.abs(moved) / PLAIN[scale]).toBeGreaterThan(0.1);
  });

  it('degrees are in order', () => {
    const paces = ['very fast', 'fast', 'slightly fast', 'plain', 'a bit slow', 'slow', 'extremely slow'].map(
      (words) => shape(`${words} man`).wordsPerMinute,
    );
    expect(paces).toEqual([...paces].sort((a, b) => b - a));
    expect(new Set(paces).size).toBe(paces.length);
  });

  it('loud and quiet stand apart', () => {
    expect(shape('a loud old man').gainDb - shape('a quiet old man').gainDb).toBeCloseTo(6);
  });
});

describe('negation', () => {
  it.each(['not too fast', 'never fast', "isn't fast", 'not fast', 'not very fast', 'without being fast'])(
    '%s is a little slower than ordinary',
    (words) => {
      const { wordsPerMinute } = shape(`man, middle-aged, ${words}`);
      expect(wordsPerMinute).toBeLessThan(PLAIN.wordsPerMinute);
      expect(wordsPerMinute).toBeGreaterThan(shape('slow man').wordsPerMinute);
    },
  );

  it('ends at the next word that is understood', () => {
    expect(shape('a man, not fast, deep').pitch).toBeLessThan(PLAIN.pitch - pitchLeeway);
  });

  it('"or" carries it on', () => {
    expect(shape('a man, not deep or slow').wordsPerMinute).toBeGreaterThan(PLAIN.wordsPerMinute);
  });
});

describe('accents', () => {
  it.each([
    ['British woman', 'en', 'en'],
    ['a posh gentleman', 'en', 'en-gb-x-rp'],
    ['Scottish man', 'en', 'en-gb-scotland'],
    ['American', 'en', 'en-us'],
    ['a New York cabbie', 'en', 'en-us-nyc'],
    ['Caribbean', 'en', 'en-029'],
    ['strong German accent', 'en', 'en-x-german'],
    ['with a French accent', 'en', 'en-x-french'],
    ['Indian woman', 'en', 'en-x-indian'],
    ['Swiss man', 'fr', 'fr-ch'],
    ['Mexican man', 'es', 'es-419'],
    ['Brazilian man', 'pt', 'pt-br'],
    ['Latin American man', 'es', 'es-419'],
    ['no German accent', 'en', undefined],
    ['Scottish man', 'de', undefined],
    ['plain man', 'en', undefined],
  ] as const)('%s in %s', (description, language, name) => {
    expect(shape(description, language).accents[language]).toBe(name);
  });
});

it('the language is that of the text, and English where it is not spoken; it leaves the voice as it is', () => {
  const described = describedVoice('man', 'ja');
  expect(described).toMatchObject({ language: 'ja', voice: { languages: ['ja'] }, speed: 1 });
  expect(describedVoice('man', 'xx')).toMatchObject({ language: 'en', voice: { languages: ['en'] } });
  expect(shape('a calm old man', 'de')).toEqual(shape('a calm old man', 'en'));
});

describe('any description', () => {
  const anyWord = fc.oneof(
    fc.constantFrom(...TRAITS.keys(), 'not', 'very', 'a bit', 'or'),
    fc.string({ unit: 'grapheme' }),
  );
  const EXTREMES = [
    'very very fast quick rapid hurried high shrill squeaky piping boy',
    'very very slow slower drawling sluggish deep bass rumbling old man',
    '\u0000',
    '\ud800',
    'x'.repeat(100_000),
    '声'.repeat(500),
  ];
  const description = fc.array(anyWord, { maxLength: 40 }).map((words) => words.join(' '));

  it('gives a voice within the ranges of espeak, and the same one each time', () => {
    fc.assert(
      fc.property(description, fc.constantFrom(...LANGUAGES, '', 'xx', 'toString'), (text, language) => {
        const described = describedVoice(text, language);
        const { variant, pitch, wordsPerMinute, gainDb } = described.voice.espeak;
        expect(VARIANTS).toContain(variant);
        for (const whole of [pitch, wordsPerMinute]) expect(Number.isInteger(whole)).toBe(true);
        expect(pitch).toBeGreaterThanOrEqual(0);
        expect(pitch).toBeLessThanOrEqual(99);
        expect(wordsPerMinute).toBeGreaterThanOrEqual(90);
        expect(wordsPerMinute).toBeLessThanOrEqual(300);
        expect(Math.abs(gainDb)).toBeLessThan(15);
        expect(described.variation).toBeGreaterThanOrEqual(0);
        expect(described.variation).toBeLessThanOrEqual(1);
        expect(describedVoice(text, language)).toEqual(described);
      }),
      { examples: EXTREMES.map((text) => [text, 'en']) },
    );
  });

  it('is the same voice in any case, spacing and punctuation', () => {
    const separator = fc.constantFrom(' ', '  ', ', ', '\n', '. ', '-', ' — ', '; ', '!');
    const word = fc.constantFrom(..."A deep Voice not old middle aged warm Xyzzy isn't".split(' '));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, separator, fc.boolean()), { minLength: 1 }), (parts) => {
        const plain = parts.map(([each]) => each).join(' ');
        const written = parts
          .map(([each, after, shout]) => (shout ? each.toUpperCase() : each) + after)
          .join('');
        expect(describedVoice(`  ${written}…`, 'en')).toEqual(describedVoice(plain, 'en'));
      }),
    );
  });

  it('without a known word differs from others, too', () => {
    const voices = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify(describedVoice(`voice ${i} zork`, 'en')),
    );
    expect(new Set(voices).size).toBeGreaterThan(30);
    const sexes = voices.filter((voice) => voice.includes('vw-woman')).length;
    expect(sexes).toBeGreaterThan(8);
    expect(sexes).toBeLessThan(32);
  });

  it.each([
    ["She isn't  OLD!", 'she isnt old'],
    ['Middle-aged, “warm”', 'middle aged warm'],
    ['ＦＵＬＬ width, low', 'full width low'],
    ['…', ''],
  ])('%j counts as %j', (written, normalized) => {
    expect(describedVoice(written, 'en')).toEqual(describedVoice(normalized, 'en'));
  });
});

it('every word of the tables is written as descriptions are read', () => {
  for (const phrase of TRAITS.keys()) expect(phrase).toMatch(/^[a-z0-9]+( [a-z0-9]+)*$/);
});
