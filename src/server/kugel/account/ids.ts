import { z } from '#protocol/core/zod.ts';

/** The largest id. A voice is found by at most nine digits. */
export const LAST_ID = 999_999_999;

/** An id, or the last one that was given, from `first` on. */
export const idFrom = (first: number) => z.int().check(z.gte(first), z.lte(LAST_ID));

/** Refuses a content whose next id is one that it has, or that has one twice. */
export const countsIds = <N extends string, C extends Readonly<Record<N, number>>>(
  last: N,
  idsOf: (content: C) => readonly number[],
) =>
  z.refine<C>(
    (content) => {
      const ids = idsOf(content);
      return new Set(ids).size === ids.length && ids.every((id) => id <= content[last]);
    },
    { path: [last], error: 'at least every id, and no id twice' },
  );
