import { describe, expect, it } from 'vitest';
import { SentText } from './sent-text.ts';

const sent = (...pieces: [string, number][]): SentText => {
  const text = new SentText();
  for (const [piece, atMs] of pieces) text.add(piece, atMs);
  return text;
};

describe('SentText', () => {
  it('knows when the last text of each chunk was sent', () => {
    const text = sent(['Hello ', 1], ['there. ', 2], ['How are', 3], [' you?', 4]);
    expect([text.claim('Hello there.'), text.claim('How are you?')]).toEqual([2, 4]);
  });

  it('takes chunks that say the same in their order', () => {
    const text = sent(['Yes. ', 1], ['Yes. ', 2]);
    expect([text.claim('Yes.'), text.claim('Yes.')]).toEqual([1, 2]);
  });

  it('measures off a chunk that the server has rewritten', () => {
    const text = sent(['It is 5 ', 1], ['euros now.', 2]);
    expect(text.claim('It is five')).toBe(2);
  });

  it('knows nothing before anything was sent', () => {
    expect(sent().claim('x')).toBeNull();
  });
});
