import { expect, it } from 'vitest';
import { toggleWord, wordIn } from '#protocol/core/describing-words.ts';
import { VOICE_SAMPLES, VOICE_WORDS } from '#protocol/murmr/wire/voice-words.ts';
import { TRAITS } from '../speech/voices/description-words.ts';
import { describedVoice } from '../speech/voices/voice-description.ts';

/** Words without marks, and the whole text, as descriptions are read. */
function phrasesOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return [plain, ...plain.split(' ')];
}

it.each([...VOICE_WORDS.flatMap(({ words }) => words), ...VOICE_SAMPLES])(
  '%s, which the page offers, is understood',
  (text) => {
    expect(text.length).toBeLessThanOrEqual(500);
    expect(phrasesOf(text).some((phrase) => TRAITS.has(phrase))).toBe(true);
  },
);

it('words of one trait make voices that differ', () => {
  for (const { title, words } of VOICE_WORDS) {
    const voices = words.map((word) => JSON.stringify(describedVoice(`A woman, ${word}`, 'en')));
    expect(new Set(voices).size, title).toBe(words.length);
  }
});

/** What a description decides of a voice, by what the chip's trait is about. */
const heard = (description: string): Record<string, unknown> => {
  const { voice, speed, variation } = describedVoice(description, 'en');
  return { ...voice.espeak, speed, variation };
};

it.each(VOICE_SAMPLES)('a word picked for “%s” is heard in place of earlier ones', (sample) => {
  for (const trait of VOICE_WORDS) {
    const without = trait.words.reduce(
      (text, word) => (wordIn(text, trait) === word ? toggleWord(text, trait, word) : text),
      sample,
    );
    for (const word of trait.words) {
      const picked = toggleWord(sample, trait, word);
      if (wordIn(sample, trait) === word) continue;
      expect(wordIn(picked, trait), picked).toBe(word);
      expect(heard(picked), picked).not.toEqual(heard(without));
    }
  }
});
