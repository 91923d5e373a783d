import { describeIssue, issuesOf } from '#protocol/core/issue.ts';
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
  throw refused(errorOf(400, issuesOf(parsed.error, asked).map(describeIssue).join('; ')));
}
