import { describeIssues, issuesOf, shown } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import type { RestContext } from '../../rest.ts';
import { errorOf, invalid, notFound, refused } from '../access.ts';

/** Rows that clients create, change and delete. */

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

type Row = Readonly<{ id: number }>;

/** The rows with this one, in the place of the one with its id, otherwise as the last. */
export const withRow = <R extends Row>(rows: readonly R[], row: R): readonly R[] =>
  rows.some(({ id }) => id === row.id)
    ? rows.map((each) => (each.id === row.id ? row : each))
    : [...rows, row];

export const withoutRow = <R extends Row>(rows: readonly R[], { id }: Row): readonly R[] =>
  rows.filter((each) => each.id !== id);

/** The row of a path. Throws the refusal of a text that is no id, and of an unknown id. */
export function rowNamed<R extends Row>(
  text: string,
  rows: readonly R[],
  { parameter, what }: { parameter: string; what: string },
): R {
  if (!/^\d{1,15}$/.test(text)) {
    throw refused(invalid(`${parameter}: expected a whole number, got ${shown(text)}`));
  }
  const row = rows.find(({ id }) => id === Number(text));
  if (!row) throw notFound(what);
  return row;
}

/** Changed fields, as a client sends them. */
export type Changes<F> = { readonly [N in keyof F]?: F[N] | null | undefined };

/** The row with changes. Null clears a field that is `clearable`, and leaves others as they are. */
export function changed<R extends object>(
  row: R,
  changes: Changes<NoInfer<R>>,
  clearable: readonly NoInfer<keyof R>[],
): R {
  const given = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && (value !== null || clearable.includes(name as keyof R)),
  );
  return { ...row, ...Object.fromEntries(given) };
}

const NUMBER = /^-?\d{1,15}$/;

/** A number of a query, written in digits. */
export const wholeNumber = (schema: z.ZodMiniNumber) =>
  z.pipe(
    z.transform((text) => (NUMBER.test(String(text)) ? Number(text) : text)),
    schema,
  );

/** A `true` or `false` of a query. */
export const trueOrFalse = z.pipe(
  z.transform((text) => (text === 'true' || text === 'false' ? text === 'true' : text)),
  z.boolean(),
);

/** Parameters of a list that comes in pages of up to `most` rows. */
export const paging = (most: number, usual: number) => ({
  limit: z._default(wholeNumber(z.int().check(z.gte(1), z.lte(most))), usual),
  offset: z._default(wholeNumber(z.int().check(z.gte(0))), 0),
});

/** One page of all rows, and the counts of its answer. */
export const pageOf = <R>(all: readonly R[], { limit, offset }: { limit: number; offset: number }) => ({
  rows: all.slice(offset, offset + limit),
  total: all.length,
  limit,
  offset,
});

/** Reads the parameters that a schema names. Ignores others, such as those of the SDKs (kugel-connect-2). */
export function readQuery<S extends z.ZodMiniObject>(c: RestContext, schema: S): z.output<S> {
  const asked = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = c.req.query(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const parsed = schema.safeParse(asked);
  if (parsed.success) return parsed.data;
  throw refused(errorOf(400, describeIssues(issuesOf(parsed.error, asked))));
}
