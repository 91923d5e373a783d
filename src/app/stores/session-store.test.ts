import { describe, expect, it } from 'vitest';
import type { TurnView } from '../../session/model.ts';
import { turnView } from '../../session/testing/views.ts';
import { applyUpdate, emptySession, joinUpdates, selectBusy } from './session-store.ts';

const turn = (id: number, change: Partial<TurnView> = {}): TurnView => turnView({ id, ...change });

describe('applyUpdate', () => {
  it('keeps turns that did not change as they are, and the list of ids while none is added', () => {
    const first = turn(1);
    const before = applyUpdate(emptySession(), { turns: [first, turn(2)] });
    const after = applyUpdate(before, { turns: [turn(2, { samples: 10 })] });
    expect(after.turns.get(1)).toBe(first);
    expect(after.turns.get(2)?.samples).toBe(10);
    expect(after.turnIds).toBe(before.turnIds);
    expect(after.revision).toBe(before.revision + 1);
  });

  it('lists turns in order', () => {
    expect(applyUpdate(emptySession(), { turns: [turn(3), turn(1), turn(2)] }).turnIds).toEqual([1, 2, 3]);
  });

  it('leaves alone what an update does not tell', () => {
    const before = emptySession();
    expect(applyUpdate(before, { problems: [] }).connection).toBe(before.connection);
  });
});

describe('joinUpdates', () => {
  it('is the same as taking in one after the other', () => {
    const updates = [
      { turns: [turn(1), turn(2)] },
      { problems: [], turns: [turn(2, { samples: 5 }), turn(3)] },
    ] as const;
    const apart = updates.reduce(applyUpdate, emptySession());
    const joined = applyUpdate(emptySession(), joinUpdates(updates[0], updates[1]));
    expect([...joined.turns]).toEqual([...apart.turns]);
    expect(joined.turnIds).toEqual(apart.turnIds);
  });
});

describe('selectBusy', () => {
  const withTurn = (change: Partial<TurnView>, playing: boolean) => {
    const session = applyUpdate(emptySession(), { turns: [turn(1, change)] });
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

  it('while an old line of a long scene is heard', () => {
    const scene = Array.from({ length: 40 }, (_, at) =>
      turn(at + 1, { state: 'ended', samples: 10, heardToMs: at < 3 ? 1 : null }),
    );
    const session = applyUpdate(emptySession(), {
      turns: [...scene, ...scene.map(({ id }) => turn(id + 40, { state: 'failed' }))],
    });
    expect(selectBusy({ ...session, player: { ...session.player, state: 'playing' } })).toBe(true);
    expect(selectBusy({ ...session, player: { ...session.player, state: 'buffering' } })).toBe(true);
    expect(selectBusy(session)).toBe(false);
  });
});
