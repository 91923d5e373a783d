import { describe, expect, it } from 'vitest';
import type { UserAction } from '#trace/user-actions.ts';
import { userActionWords } from './entry-words.ts';

const of = (act: Record<string, unknown>) =>
  userActionWords({ turn: 1, context: null, ...act } as UserAction);

describe('What a person did', () => {
  it.each([
    [{ kind: 'begun', origin: 'whole', line: null }, 'a turn begins, its text as a whole'],
    [
      { kind: 'begun', origin: 'live', line: null, question: 'Why?', model: 'm' },
      'a turn begins, its text as a live model answers: Why?',
    ],
    [
      { kind: 'begun', origin: 'simulated', line: 2 },
      'line 3 of the script begins, its text as a model writes it',
    ],
    [
      { kind: 'line', interrupts: false, listening: 'inTurn', pauseMs: 250 },
      'a line, heard in turn, 250 ms apart',
    ],
    [
      { kind: 'line', interrupts: true, listening: 'inTurn', pauseMs: 250 },
      'a line that cuts off the one before it',
    ],
    [{ kind: 'listening', listening: 'together', pauseMs: 0 }, 'lines are heard at once from now on'],
    [{ kind: 'cancelled' }, 'cancelled by hand'],
    [{ kind: 'cancelled', context: 'marta' }, 'cancelled by hand, on marta alone'],
    [{ kind: 'disconnected' }, 'disconnected by hand'],
  ])('%o is told in words', (act, words) => {
    expect(of(act)).toBe(words);
  });
});
