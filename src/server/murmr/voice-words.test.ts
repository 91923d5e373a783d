import { expect, it } from 'vitest';
import { MAX_DESCRIPTION_CHARS } from '../../protocol/murmr/client-frames.ts';
import { VOICE_SAMPLES, VOICE_WORDS } from '../../protocol/murmr/voice-words.ts';
import { TRAITS } from '../../speech/description-words.ts';
import { describedVoice, normalizeDescription } from '../../speech/voice-description.ts';

const wordsOf = (text: string): string[] => normalizeDescription(text).split(' ');

it.each(VOICE_WORDS.flatMap(({ words }) => words))('%s, which the page offers, is understood', (word) => {
  const understood = [normalizeDescription(word), ...wordsOf(word)].filter((part) => TRAITS.has(part));
  expect(understood).not.toEqual([]);
});

it('words of one trait make voices that differ', () => {
  for (const { title, words } of VOICE_WORDS) {
    const voices = words.map((word) => JSON.stringify(describedVoice(`A woman, ${word}`, 'en')));
    expect(new Set(voices).size, title).toBe(words.length);
  }
});

it.each(VOICE_SAMPLES)('the sample “%s” is a description that is taken', (sample) => {
  expect(sample.length).toBeLessThanOrEqual(MAX_DESCRIPTION_CHARS);
  expect(wordsOf(sample).some((word) => TRAITS.has(word))).toBe(true);
});
