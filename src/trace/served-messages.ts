import { z } from '#protocol/core/zod.ts';

/**
 * Recordings that a page has its server answer with. `POST` takes a file of the own format and returns a `servedSchema`, and
 * `GET` a `servedListSchema`. Below it `/<id>` is the file, which `DELETE` stops serving, `/<id>/runs` an event stream of
 * `servedRunsSchema`, and `/<id>/<vendor>` the host of the vendor.
 */
export const SERVED_PATH = '/served';

export const servedSchema = z.object({
  /** The same for the same content. */
  id: z.string(),
  info: z.object({ id: z.string(), name: z.string(), endpoint: z.string(), startedAtMs: z.number() }),
  /** Sentences about the parts that are not served. */
  notes: z.readonly(z.array(z.string())),
});
export const servedListSchema = z.array(servedSchema);
export type ServedRecordingView = z.output<typeof servedSchema>;

/** A connection or call of a client that the recording answered. */
const runSchema = z.object({
  /** From 1, in the order of their beginning. */
  number: z.int(),
  /** Such as the title of the endpoint. */
  what: z.string(),
  isOver: z.boolean(),
  /** Number of its differences. `lines` has the first ones. */
  count: z.int(),
  /** For people, also about steps that came at another moment. */
  lines: z.array(z.string()),
});
export type ServedRunView = z.output<typeof runSchema>;

/** The newest runs, newest first. */
export const servedRunsSchema = z.array(runSchema);
