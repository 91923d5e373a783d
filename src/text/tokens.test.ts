import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenize } from './tokens.ts';

describe('tokenize', () => {
  it('cuts as a model does: words with their leading space', async () => {
    expect((await tokenize('Hello, this is streaming.')).join('|')).toBe('Hello|,| this| is| streaming|.');
    expect(await tokenize('')).toEqual([]);
  });

  it('joins tokens that are only parts of a character', async () => {
    const parts = await tokenize('Fine é 👩‍👩‍👧 and 𓀀 and 🫠.');
    expect(parts.join('')).toBe('Fine é 👩‍👩‍👧 and 𓀀 and 🫠.');
    expect(parts.slice(-2)).toEqual([' 🫠', '.']);
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
