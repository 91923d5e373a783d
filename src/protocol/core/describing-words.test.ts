import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toggleWord, wordIn } from './describing-words.ts';

const AGE = { title: 'Age', words: ['child', 'young', 'middle-aged', 'elderly'] };
const PITCH = { title: 'Pitch', words: ['deep', 'high'] };
const TONE = { title: 'Tone', words: ['clear', 'warm', 'raspy'] };

describe('wordIn', () => {
  it.each([
    ['A deep voice', 'deep'],
    ['Deep, and calm', 'deep'],
    ['A deeper voice', null],
    ['High, later deep', 'high'],
    ['Not deep', null],
    ['not too deep', null],
    ['', null],
  ])('%j has %j', (description, word) => {
    expect(wordIn(description, PITCH)).toBe(word);
  });

  it('matches a hyphenated word as a whole', () => {
    expect(wordIn('a middle-aged man', AGE)).toBe('middle-aged');
    expect(wordIn('a young-ish man', AGE)).toBeNull();
  });

  it('returns the first mention, in any order of the choices', () => {
    expect(wordIn('A warm woman, calm and clear', TONE)).toBe('warm');
  });
});

describe('toggleWord', () => {
  it.each([
    ['', 'deep', 'Deep'],
    ['A woman.', 'deep', 'Deep, a woman.'],
    ['A high voice', 'deep', 'Deep, a voice'],
    ['High, and calm', 'deep', 'Deep, calm'],
    ['A woman, deep, calm', 'deep', 'A woman, calm'],
    ['A woman, deep and calm', 'deep', 'A woman, calm'],
    ['A woman, calm and deep', 'deep', 'A woman, calm'],
    ['A deep, calm woman', 'deep', 'A calm woman'],
    ['deep', 'deep', ''],
  ])('%j with %j becomes %j', (description, word, expected) => {
    expect(toggleWord(description, PITCH, word)).toBe(expected);
  });

  it('leaves one word of the trait, at the front', () => {
    expect(toggleWord('A warm, friendly woman, calm and clear', TONE, 'raspy')).toBe(
      'Raspy, a friendly woman, calm',
    );
  });

  it('adds an absent word and removes a present one, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...AGE.words), (description, word) => {
        const has = wordIn(description, AGE) === word;
        const once = toggleWord(description, AGE, word);
        expect(wordIn(once, AGE)).toBe(has ? null : word);
      }),
    );
  });
});
