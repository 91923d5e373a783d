import { describe, expect, it } from 'vitest';
import { SteadyClock } from './mixer.worklet.ts';

const QUANTUM = 128;
const seen = (quanta: readonly number[]): boolean[] => {
  const clock = new SteadyClock();
  return quanta.map((quantum) => clock.runs(quantum * QUANTUM, QUANTUM));
};

describe('SteadyClock', () => {
  it('waits for the jump after the first quantum and for three that follow one another', () => {
    expect(seen([0, 9, 10, 11, 12, 13])).toEqual([false, false, false, false, true, true]);
  });

  it('counts anew after another jump', () => {
    expect(seen([0, 1, 2, 30, 31, 32, 33])).toEqual([false, false, false, false, false, false, true]);
  });

  it('does not stop again once it has run: a later jump is the track’s to report', () => {
    expect(seen([0, 1, 2, 3, 40])).toEqual([false, false, false, true, true]);
  });
});
