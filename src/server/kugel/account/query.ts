import { describeIssues, issuesOf } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import type { RestContext } from '../../rest.ts';
import { errorOf, refused } from '../access.ts';

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

/** Reads the parameters that a schema names. Ignores others, such as those of the SDKs (`facts 1.1`). */
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
