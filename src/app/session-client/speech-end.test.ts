import { describe, expect, it } from 'vitest';
import type { Problem, TurnView } from '#session/views.ts';
import { emptySession, type SessionState } from './session-state.ts';
import { endOfSpeech, startOfSpeech } from './speech-end.ts';
import { TurnMap } from './turn-map.ts';

const turn = (id: number, change: Partial<TurnView>): TurnView =>
  ({ id, state: 'ended', samples: 100, heardToMs: 5, silencedMs: null, ...change }) as TurnView;
const problem = (id: number, change: Partial<Problem> = {}): Problem => ({
  id,
  turn: null,
  atMs: 0,
  severity: 'error',
  title: '',
  detail: '',
  remedy: null,
  times: 1,
  ...change,
});
const stateOf = (turns: readonly TurnView[], problems: readonly Problem[] = []): SessionState => ({
  ...emptySession(),
  turnIds: turns.map(({ id }) => id),
  turns: TurnMap.EMPTY.with(turns),
  problems,
});
const earlier = [turn(1, { state: 'failed' }), turn(2, {})];
const since = startOfSpeech(stateOf(earlier, [problem(3)]));

describe('the end of requested speech', () => {
  it.each([
    ['has not begun', [], [], null],
    ['is still generated', [turn(3, { state: 'receiving' })], [], null],
    ['is still heard', [turn(3, { heardToMs: null })], [], null],
    ['has a line that is to come', [turn(3, {}), turn(4, { state: 'waiting' })], [], null],
    ['was heard', [turn(3, {}), turn(4, {})], [], 'heard'],
    ['was cut off by a person', [turn(3, { state: 'cancelled' })], [], 'heard'],
    ['was refused', [turn(3, { state: 'failed', samples: 0 })], [problem(4, { turn: 3 })], 'failed'],
    ['lost its connection', [turn(3, { state: 'lost' })], [], 'failed'],
    ['has no turn, because there was no connection', [], [problem(4)], 'failed'],
    ['has only an older problem', [], [problem(3)], null],
    ['has only a warning', [], [problem(4, { severity: 'warning' })], null],
  ] as const)('%s', (_, own, problems, end) => {
    expect(endOfSpeech(stateOf([...earlier, ...own], problems), since)).toBe(end);
  });

  it('waits for a simulated model that still writes', () => {
    const state = stateOf([...earlier, turn(3, {})]);
    expect(endOfSpeech({ ...state, source: { ...state.source, state: 'running' } }, since)).toBeNull();
  });
});
