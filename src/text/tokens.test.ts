import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutByBytes, tokenize } from './tokens.ts';

describe('tokenize', () => {
  it('cuts as a model does: words with their leading space', async () => {
    expect(await tokenize('Hello, this is streaming.')).toEqual([
      'Hello',
      ',',
      ' this',
      ' is',
      ' streaming',
      '.',
    ]);
  });

  it('joins tokens that are only parts of a character', async () => {
    const parts = await tokenize('Fine 👩‍👩‍👧 and 𓀀 and 🫠.');
    expect(parts.join('')).toBe('Fine 👩‍👩‍👧 and 𓀀 and 🫠.');
    for (const part of parts) expect(part).not.toMatch(/\p{Surrogate}/u);
  });

  it('takes special tokens for plain text', async () => {
    expect((await tokenize('a <|endoftext|> b')).join('')).toBe('a <|endoftext|> b');
  });

  it('concatenates to the input exactly, for every text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        const parts = await tokenize(text);
        expect(parts.join('')).toBe(text);
        expect(parts.every((part) => part !== '')).toBe(true);
      }),
    );
  });

  it('keeps lone surrogates, which no encoder can write', async () => {
    expect((await tokenize('a\ud800b\udc00')).join('')).toBe('a\ud800b\udc00');
  });
});

describe('cutByBytes', () => {
  const cases: [string, string, number[], string[]][] = [
    ['by characters', 'abc', [1, 2], ['a', 'bc']],
    ['never inside a character', 'é!', [1, 1, 1], ['é', '!']],
    ['the rest, when lengths run short', 'abcdef', [2], ['ab', 'cdef']],
    ['nothing twice, when lengths run over', 'ab', [5, 5], ['ab']],
    ['no empty parts', 'ab', [0, 1, 0, 1], ['a', 'b']],
    ['no text', '', [], []],
  ];
  it.each(cases)('cuts %s', (_, text, lengths, parts) => {
    expect(cutByBytes(text, lengths)).toEqual(parts);
  });

  it('concatenates to the text, whatever the lengths', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(9)), (text, lengths) => {
        expect(cutByBytes(text, lengths).join('')).toBe(text);
      }),
    );
  });
});
