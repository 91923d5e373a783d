import { describe, expect, it } from 'vitest';
import { entryFacts, exactTime } from './frame-facts.ts';

describe('exactTime', () => {
  it.each([
    [0, '0.000 000 s'],
    [7, '0.000 007 s'],
    [43_564_123, '43.564 123 s'],
    [3_600_000_000, '3600.000 000 s'],
  ])('%d µs', (us, text) => {
    expect(exactTime(us)).toBe(text);
  });
});

const HEAD = {
  index: 3,
  atUs: 1_000_001,
  direction: 'in' as const,
  connection: 2,
  opcode: 'text' as const,
  bytes: 12_900,
  kind: 'audio',
  turn: 1,
  context: 'narrator',
  chunk: 0,
  audioMs: 13.333,
};

describe('entryFacts', () => {
  it('lists every fact, chunk 0 too', () => {
    expect(entryFacts(HEAD)).toEqual([
      ['Time', '1.000 001 s'],
      ['Direction', 'received'],
      ['Size', '12,900 B'],
      ['Opcode', 'text'],
      ['Connection', '2'],
      ['Turn', '1'],
      ['Context', 'narrator'],
      ['Chunk', '0'],
      ['Audio', '13.3 ms'],
    ]);
  });

  it('names the number of a call', () => {
    expect(entryFacts(HEAD, true)).toContainEqual(['Call', '1']);
  });

  it('leaves out what an entry does not belong to', () => {
    const bare = { turn: null, context: null, chunk: null, audioMs: null };
    const names = entryFacts({ ...HEAD, ...bare, direction: 'connection', opcode: 'none' }).map(
      ([name]) => name,
    );
    expect(names).toEqual(['Time', 'Direction', 'Size', 'Connection']);
  });
});
