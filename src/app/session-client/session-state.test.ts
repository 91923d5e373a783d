import { describe, expect, it } from 'vitest';
import { turnReport, turnView } from '#session/testing/views.ts';
import type { ContextView, TrackView, TurnReport, TurnView } from '#session/views.ts';
import {
  applyUpdate,
  emptySession,
  isOnlyRepeat,
  selectBusy,
  selectNewestStart,
  selectNext,
  trackOf,
} from './session-state.ts';

const turn = (id: number, change: Partial<TurnView> = {}): TurnView => turnView({ id, ...change });

const reports = (...turns: TurnView[]): TurnReport[] => turns.map(turnReport);

const trackView = (change: Partial<TrackView>): TrackView => ({
  ...trackOf({ tracks: [] }, ''),
  ...change,
});

describe('applyUpdate', () => {
  it('keeps the identity of unchanged turns, and of the list of ids while none is added', () => {
    const before = applyUpdate(emptySession(), { turns: reports(turn(1), turn(2)) });
    const after = applyUpdate(before, { turns: reports(turn(2, { samples: 10 })) });
    expect(after.turns.get(1)).toBe(before.turns.get(1));
    expect(after.turns.get(2)?.samples).toBe(10);
    expect(after.turnIds).toBe(before.turnIds);
    expect(after.turns).not.toBe(before.turns);
    expect(before.turns.get(2)?.samples).toBe(0);
  });

  it('keeps the identity of the turns when only other parts change', () => {
    const before = applyUpdate(emptySession(), { turns: reports(turn(1)) });
    expect(applyUpdate(before, { problems: [], turns: [] }).turns).toBe(before.turns);
  });

  it('keeps the identity of unchanged contexts, and of a list without changes', () => {
    const context = (id: string, keepAlives = 0): ContextView => ({
      id,
      state: 'open',
      sinceMs: 1,
      idleAtMs: null,
      keepAlives,
      billed: { audioSeconds: 1, characters: 2, costCents: 3, currency: 'EUR', modelId: null },
      unbilledSeconds: 0,
      unknownCosts: 0,
    });
    const before = applyUpdate(emptySession(), { contexts: [context('anna'), context('ben')] });
    const same = applyUpdate(before, { contexts: [context('anna'), context('ben')] });
    expect(same.contexts).toBe(before.contexts);
    const after = applyUpdate(before, { contexts: [context('anna'), context('ben', 1), context('cleo')] });
    expect(after.contexts.map(({ id }) => id)).toEqual(['anna', 'ben', 'cleo']);
    expect(after.contexts[0]).toBe(before.contexts[0]);
    expect(after.contexts[1]?.keepAlives).toBe(1);
    expect(applyUpdate(before, { contexts: [context('anna')] }).contexts).toHaveLength(1);
  });

  it('lists turns in order', () => {
    expect(applyUpdate(emptySession(), { turns: reports(turn(3), turn(1), turn(2)) }).turnIds).toEqual([
      1, 2, 3,
    ]);
  });

  it('keeps the parts that an update does not contain', () => {
    const before = emptySession();
    expect(applyUpdate(before, { problems: [] }).connection).toBe(before.connection);
  });
});

describe('isOnlyRepeat', () => {
  const repeating = (change: Partial<TurnView> = {}) => {
    const heard = turn(1, { context: 'anna', state: 'ended', samples: 10, heardToMs: 5 });
    const other = turn(2, { context: 'ben', state: 'ended', samples: 10, heardToMs: 9, ...change });
    const session = applyUpdate(emptySession(), { turns: reports(heard, other) });
    const tracks = [trackView({ context: 'anna', state: 'playing', turn: 1 })];
    return { ...session, player: { ...session.player, state: 'playing', repeating: true, tracks } } as const;
  };

  it('is true for all and for the repeated context while nothing else is live', () => {
    expect(isOnlyRepeat(repeating(), null)).toBe(true);
    expect(isOnlyRepeat(repeating(), 'anna')).toBe(true);
    expect(isOnlyRepeat(repeating(), 'ben')).toBe(false);
  });

  it.each([
    ['the server owes audio', { state: 'waiting', heardToMs: null }],
    ['another line is still to be heard', { heardToMs: null, held: true }],
  ] as const)('not while %s', (_, change) => {
    expect(isOnlyRepeat(repeating(change), null)).toBe(false);
  });

  it('is false while a simulated model writes, and without a repeat', () => {
    const session = repeating();
    expect(isOnlyRepeat({ ...session, source: { ...session.source, state: 'running' } }, null)).toBe(false);
    expect(isOnlyRepeat(emptySession(), null)).toBe(false);
  });
});

it.each([
  ['null without turns', [], null],
  ['the newest where it is over', ['ended', 'cancelled'], 2],
  ['the first line of a script that has begun', ['cancelled', 'waiting', 'waiting', 'waiting'], 2],
  ['the next line where the one before it was heard', ['ended', 'receiving', 'waiting'], 2],
  ['the first line also where a later one was refused', ['waiting', 'failed', 'waiting'], 1],
  ['the newest where another client hears them', ['unheard', 'unheard'], 2],
] as const)('selectNext is %s', (_, states, next) => {
  const session = applyUpdate(emptySession(), {
    turns: reports(
      ...states.map((state, at) =>
        state === 'unheard'
          ? turn(at + 1, { state: 'ended', samples: 10 })
          : turn(at + 1, { state, heardToMs: state === 'ended' ? 1 : null }),
      ),
    ),
  });
  expect(selectNext(session)).toBe(next);
});

it.each([
  ['nothing without turns', [], undefined],
  ['the newest turn', [null, null], 2],
  ['the first line of a script', [null, 0, 1, 2], 2],
  ['the first line of the newer of two scripts', [0, 1, 0, 1], 3],
  ['a turn behind a script', [0, 1, null], 3],
] as const)('selectNewestStart is %s', (_, lines, start) => {
  const session = applyUpdate(emptySession(), {
    turns: reports(...lines.map((line, at) => turn(at + 1, { line }))),
  });
  expect(selectNewestStart(session)?.id).toBe(start);
});

describe('selectBusy', () => {
  const withTurn = (change: Partial<TurnView>, playing: boolean) => {
    const session = applyUpdate(emptySession(), { turns: reports(turn(1, change)) });
    return selectBusy({ ...session, player: { ...session.player, state: playing ? 'playing' : 'idle' } });
  };

  it.each([
    ['while the server owes audio', { state: 'waiting' }, false, true],
    ['while the rest of an ended turn is heard', { state: 'ended', samples: 10 }, true, true],
    ['not after an ended turn was silenced unheard', { state: 'ended', samples: 10 }, false, false],
    [
      'not after it was silenced in the queue',
      { state: 'ended', samples: 10, held: true, silencedMs: 5 },
      false,
      false,
    ],
    ['not after a cancelled turn', { state: 'cancelled', samples: 10 }, false, false],
  ] as const)('%s', (_, change, playing, busy) => {
    expect(withTurn(change, playing)).toBe(busy);
  });

  it('is true while an old line of a long scene is heard', () => {
    const scene = Array.from({ length: 40 }, (_, at) =>
      turn(at + 1, { state: 'ended', samples: 10, heardToMs: at < 3 ? 1 : null }),
    );
    const session = applyUpdate(emptySession(), {
      turns: reports(...scene, ...scene.map(({ id }) => turn(id + 40, { state: 'failed' }))),
    });
    expect(selectBusy({ ...session, player: { ...session.player, state: 'playing' } })).toBe(true);
    expect(selectBusy({ ...session, player: { ...session.player, state: 'buffering' } })).toBe(true);
    expect(selectBusy(session)).toBe(false);
  });
});
