import { describe, expect, it } from 'vitest';
import { textCount } from './text-limit.ts';

describe('textCount', () => {
  it.each([
    ['', 'plain', '0 of 10', false],
    ['12345', 'plain', '5 of 10', false],
    ['123456789', 'near', '9 of 10', false],
    ['1234567890', 'near', '10 of 10', false],
    ['12345678901', 'over', '11 of 10', true],
    ['🎈🎈', 'plain', '2 of 10', false],
  ])('%j is %s', (text, tone, words, hasProblem) => {
    const counted = textCount(text, 10);
    expect([counted.tone, counted.words, counted.problem !== null]).toEqual([tone, words, hasProblem]);
  });

  it('says by how much the text is too long', () => {
    expect(textCount('x'.repeat(10_240), 10_000).problem).toContain('240 characters longer than the 10,000');
  });
});
