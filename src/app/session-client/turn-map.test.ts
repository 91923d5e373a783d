import { describe, expect, it } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import { TurnMap } from './turn-map.ts';

const ids = (book: TurnMap): number[] => [...book.values()].map(({ id }) => id);

describe('TurnMap', () => {
  it('returns another map after a change, and keeps the previous one', () => {
    const before = TurnMap.of(turnView({ id: 1 }), turnView({ id: 100 }));
    const after = before.with([turnView({ id: 1, samples: 5 }), turnView({ id: 2 })]);
    expect(after).not.toBe(before);
    expect(before.get(1)?.samples).toBe(0);
    expect(ids(before)).toEqual([1, 100]);
    expect(after.get(1)?.samples).toBe(5);
    expect(after.get(100)).toBe(before.get(100));
    expect(ids(after)).toEqual([1, 2, 100]);
  });

  it('returns itself where no turn is added', () => {
    const book = TurnMap.of(turnView({ id: 1 }));
    expect(book.with([])).toBe(book);
  });

  it('lists turns in the order of their ids, in any order of arrival', () => {
    expect(ids(TurnMap.of(...[130, 3, 64, 1].map((id) => turnView({ id }))))).toEqual([1, 3, 64, 130]);
  });
});
