import { expect, test } from 'vitest';
import type { Usage } from '#protocol/core/speech-event.ts';
import { turnView } from '#session/testing/views.ts';
import type { ContextView, Problem } from '#session/views.ts';
import { chargeOf, isRunOver, outcomeOf, problemsSince, progressOf } from './run-state.ts';
import { emptySession } from './session-state.ts';
import { turnsSince } from './speech-end.ts';
import { TurnMap } from './turn-map.ts';

const state = emptySession();

const problem = (change: Partial<Problem> = {}): Problem => ({
  id: 1,
  turn: 1,
  atMs: 0,
  severity: 'error',
  title: 'The server reported an error',
  detail: 'No credits.',
  remedy: null,
  times: 1,
  ...change,
});

const context = (state: ContextView['state'], change: Partial<ContextView> = {}): ContextView => ({
  id: 'speaker',
  state,
  sinceMs: 0,
  idleAtMs: null,
  keepAlives: 0,
  billed: null,
  unbilledSeconds: 0,
  unknownCosts: 0,
  ...change,
});

const usage = (costCents: number | null, audioSeconds = 1): Usage => ({
  audioSeconds,
  characters: 10,
  costCents,
  currency: 'eur',
  modelId: 'm',
});

const bill = (billed: Usage | null, unknownCosts = 0) => context('closed', { billed, unknownCosts });

const wait = [{ name: 'server' as const, ms: 5 }];
const ended = turnView({ state: 'ended', samples: 100, wait, heardToMs: 9 });
const playing = turnView({ state: 'ended', samples: 100, wait, heardToMs: null });
const untold = turnView({ state: 'ended', samples: 100 });

test.each([
  ['heard to the end', [ended], 'heard', true],
  ['the server is done, and it is still heard', [playing], 'heard', false],
  ['the server is done and the wait is known', [playing], 'ended', true],
  ['the server is done before anything is heard', [untold], 'ended', false],
  ['the server still sends', [turnView({ state: 'receiving', wait })], 'ended', false],
  ['silenced on the way', [turnView({ state: 'cancelled', samples: 9, silencedMs: 4 })], 'heard', true],
  ['refused, without a sound', [turnView({ state: 'failed' })], 'heard', true],
  ['the second part of the text is under way', [ended, turnView({ id: 2 })], 'heard', false],
  ['nothing has begun', [], 'heard', false],
] as const)('%s', (_, turns, until, over) => {
  expect(isRunOver(state, { turns, problems: [] }, until)).toBe(over);
});

test('a run continues while a model writes or a context is not billed', () => {
  const run = { turns: [ended], problems: [] };
  expect(isRunOver({ ...state, source: { ...state.source, state: 'running' } }, run, 'heard')).toBe(false);
  expect(isRunOver({ ...state, contexts: [context('closing')] }, run, 'heard')).toBe(false);
  expect(isRunOver({ ...state, contexts: [context('closed')] }, run, 'heard')).toBe(true);
});

test('an error before the first turn ends the run, a warning does not', () => {
  expect(isRunOver(state, { turns: [], problems: [problem({ turn: null })] }, 'heard')).toBe(true);
  expect(isRunOver(state, { turns: [], problems: [problem({ severity: 'warning' })] }, 'heard')).toBe(false);
});

test.each([
  ['all of it came', [ended], [], 'ok'],
  ['a warning is no failure', [ended], [problem({ severity: 'warning' })], 'ok'],
  ['an error is', [ended], [problem()], 'The server reported an error. No credits.'],
  ['lost without a word', [turnView({ state: 'lost', samples: 3 })], [], 'The connection was lost.'],
  ['no audio', [turnView({ state: 'ended' })], [], 'The server sent no audio.'],
  ['no turn', [], [], 'The server sent no audio.'],
] as const)('%s', (_, turns, problems, outcome) => {
  expect(outcomeOf(turns, problems)).toEqual(outcome === 'ok' ? 'ok' : { failed: outcome });
});

test('a run has the turns and problems since its start, and a stopped worker is a problem of every run', () => {
  const turns = TurnMap.of(...[1, 2, 3].map((id) => turnView({ id })));
  const since = { turn: 1, problem: 4 };
  expect(turnsSince({ turns, turnIds: [1, 2, 3] }, since).map(({ id }) => id)).toEqual([2, 3]);
  const problems = [problem({ id: 4 }), problem({ id: 5 }), problem({ id: -1 })];
  expect(problemsSince({ problems }, since).map(({ id }) => id)).toEqual([5, -1]);
});

test('another frame is progress, a report of the clock is not', () => {
  const before = progressOf(state);
  expect(progressOf({ ...state, player: { ...state.player, sampleRate: 8000 } })).toBe(before);
  const connection = { ...state.connection, framesReceived: 1 };
  expect(progressOf({ ...state, connection })).not.toBe(before);
});

test('adds up the charges of turns', () => {
  const turns = [turnView({ usage: usage(2) }), turnView({ id: 2, usage: usage(3) })];
  expect(chargeOf(turns, [], [])).toEqual({ ...usage(5, 2), characters: 20 });
});

test('charges the growth of the bill of a context', () => {
  const turn = turnView({ usage: 'withContext' });
  expect(chargeOf([turn], [bill(usage(4, 2))], [bill(usage(7, 5))])?.costCents).toBe(3);
  expect(chargeOf([turn], [], [bill(usage(7))])?.costCents).toBe(7);
});

test('has an unknown cost where that of one part is unknown', () => {
  expect(
    chargeOf([turnView({ usage: usage(2) }), turnView({ usage: usage(null) })], [], [])?.costCents,
  ).toBeNull();
  expect(chargeOf([], [bill(usage(4))], [bill(usage(4), 1)])?.costCents).toBeNull();
});

test('has an unknown cost where currencies differ', () => {
  const turns = [turnView({ usage: usage(2) }), turnView({ id: 2, usage: { ...usage(3), currency: 'usd' } })];
  expect(chargeOf(turns, [], [])).toMatchObject({ costCents: null, audioSeconds: 2 });
});

test('has no charge where the server reported none', () => {
  expect(chargeOf([turnView({ usage: 'unreported' })], [], [])).toBeNull();
  expect(chargeOf([], [bill(usage(4))], [bill(usage(4))])).toBeNull();
});
