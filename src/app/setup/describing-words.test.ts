import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toggleWord, wordIn } from './describing-words.ts';

const AGE = { title: 'Age', words: ['child', 'young', 'middle-aged', 'elderly'] };
const PITCH = { title: 'Pitch', words: ['deep', 'high'] };

describe('wordIn', () => {
  it.each([
    ['A deep voice', 'deep'],
    ['Deep, and calm', 'deep'],
    ['A deeper voice', null],
    ['', null],
  ])('%j has %j', (description, word) => {
    expect(wordIn(description, PITCH)).toBe(word);
  });

  it('takes a hyphenated word as a whole', () => {
    expect(wordIn('a middle-aged man', AGE)).toBe('middle-aged');
    expect(wordIn('a young-ish man', AGE)).toBeNull();
  });
});

describe('toggleWord', () => {
  it.each([
    ['', 'deep', 'Deep'],
    ['A woman.', 'deep', 'A woman, deep'],
    ['A high voice', 'deep', 'A deep voice'],
    ['High, and calm', 'deep', 'Deep, and calm'],
    ['A woman, deep, calm', 'deep', 'A woman, calm'],
    ['A woman, deep', 'deep', 'A woman'],
    ['deep', 'deep', ''],
  ])('%j with %j becomes %j', (description, word, expected) => {
    expect(toggleWord(description, PITCH, word)).toBe(expected);
  });

  it('puts in what is not there and takes out what is, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(...AGE.words), (description, word) => {
        const has = wordIn(description, AGE) === word;
        const once = toggleWord(description, AGE, word);
        if (!has) expect(wordIn(once, AGE)).not.toBeNull();
        else expect(once.length).toBeLessThan(description.length);
      }),
    );
  });
});
