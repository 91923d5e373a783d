import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SPOKEN_LANGUAGES } from '../languages.ts';
import { variantFiles } from './espeak-voice-files.ts';
import { describedVoice } from './voice-description.ts';

function shape(description: string, language = 'en') {
  const { voice, variation } = describedVoice(description, language);
  return { ...voice.espeak, variation };
}

it.each([
  ['a deep old man', 'vw-old-m-clear'],
  ['a bright young girl', 'vw-girl-bright'],
  ['A middle-aged woman, warm and friendly', 'vw-woman-2-warm'],
  ['young woman', 'vw-woman-3-clear'],
  ['a teenage girl', 'vw-teen-f-clear'],
  ['A GRANDFATHER', 'vw-old-m-clear'],
  ['an old woman telling a story to a boy', 'vw-old-f-clear'],
  ['a man, not old, never too raspy', 'vw-man-1-clear'],
  ['robotic', 'vw-woman-1-robot'],
])('the first word for sex, age and timbre counts in “%s”', (description, variant) => {
  expect(shape(description).variant).toBe(variant);
});

it.each([
  ['deep', 'pitch', -1],
  ['high-pitched', 'pitch', 1],
  ['slow', 'wordsPerMinute', -1],
  ['fast', 'wordsPerMinute', 1],
  ['monotone', 'variation', -1],
  ['excited', 'variation', 1],
  ['loud', 'gainDb', 1],
  ['not slow, never too fast', 'wordsPerMinute', 0],
] as const)('%s moves %s by %i', (word, scale, direction) => {
  expect(Math.sign(shape(`a man, ${word}`)[scale] - shape('a man')[scale])).toBe(direction);
});

it('accents are of English only', () => {
  expect(shape('Scottish man').accents).toEqual({ en: 'en-gb-scotland' });
  expect(shape('strong German accent').accents).toEqual({ en: 'en-x-german' });
  expect(shape('no German accent')).toEqual(shape(''));
});

it('the language is that of the text, and English where it is not spoken; it leaves the voice as it is', () => {
  expect(describedVoice('man', 'ja')).toMatchObject({
    language: 'ja',
    voice: { languages: ['ja'] },
    speed: 1,
  });
  expect(describedVoice('man', 'xx')).toMatchObject({ language: 'en', voice: { languages: ['en'] } });
  expect(shape('a calm old man', 'de')).toEqual(shape('a calm old man', 'en'));
});

it.each(['', '…', 'xyzzy', 'toString', '\ud800', '声'.repeat(500), 'x'.repeat(100_000)])(
  'a description without a known word gives the neutral voice',
  (description) => {
    expect(describedVoice(description, 'en')).toEqual(describedVoice('A narrator', 'en'));
    expect(describedVoice(description, 'en').voice.sex).toBeNull();
  },
);

describe('any description', () => {
  const variants = new Set(variantFiles().map(({ name }) => name));
  const words =
    'deep high squeaky low fast slow excited sad calm old girl man whispering loud not very'.split(' ');
  const description = fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'grapheme' })))
    .map((all) => all.join(' '));

  it('gives a voice within the ranges of espeak', () => {
    fc.assert(
      fc.property(description, fc.constantFrom(...SPOKEN_LANGUAGES, '', 'toString'), (text, language) => {
        const { variant, pitch, wordsPerMinute, gainDb, variation } = shape(text, language);
        expect(variants).toContain(variant);
        expect(pitch).toBeGreaterThanOrEqual(0);
        expect(pitch).toBeLessThanOrEqual(99);
        expect(wordsPerMinute).toBeGreaterThanOrEqual(90);
        expect(wordsPerMinute).toBeLessThanOrEqual(300);
        expect(Math.abs(gainDb)).toBeLessThan(15);
        expect(variation).toBeGreaterThanOrEqual(0);
        expect(variation).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is the same voice in any case, spacing and punctuation', () => {
    expect(describedVoice('  A DEEP, ｏｌｄ—man!\nwarm…', 'en')).toEqual(
      describedVoice('a deep old man warm', 'en'),
    );
  });
});
