import { z } from '#protocol/core/zod.ts';

/**
 * What a recording's parts look like in files, ours and HAR alike. Everything is bounded: a file comes from anywhere.
 * Fields that are null in a {@link RecordEntry} are left out.
 */

/** More than any real name, id or address has. */
const MAX_NAME_CHARS = 1000;
const MAX_ADDRESS_CHARS = 8192;
const MAX_KIND_CHARS = 64;
const MAX_CONTEXT_CHARS = 4096;
const MAX_CONNECTIONS = 100_000;
/** Since 1970, which is the year 2255: up to there microseconds are whole numbers. */
export const MAX_TIME_S = 9_000_000_000;

export const FORMAT_VERSION = 1;

const count = z.int().nonnegative();
export const connectionSchema = z.int().positive().max(MAX_CONNECTIONS);

export const infoSchema = z.object({
  id: z.string().max(MAX_NAME_CHARS),
  name: z.string().max(MAX_NAME_CHARS),
  endpoint: z.string().max(MAX_NAME_CHARS),
  address: z.string().max(MAX_ADDRESS_CHARS),
  startedAtMs: z
    .number()
    .nonnegative()
    .max(MAX_TIME_S * 1000),
  durationUs: count,
  entries: count,
  bytes: count,
  pinned: z.boolean(),
});

/** What is told of an entry besides its direction, connection and payload. */
export const noteShape = {
  atUs: count,
  bytes: count,
  kind: z.string().min(1).max(MAX_KIND_CHARS),
  turn: count.nullish(),
  context: z.string().max(MAX_CONTEXT_CHARS).nullish(),
  chunk: z.number().nullish(),
  audioMs: z.number().nonnegative().nullish(),
};

export const entrySchema = z.object({
  ...noteShape,
  direction: z.literal(['out', 'in', 'connection', 'player']),
  connection: connectionSchema,
  opcode: z.literal(['text', 'binary', 'none']),
  /** Exactly one of the two. */
  text: z.string().optional(),
  base64: z.string().optional(),
});

export type EntryRecord = z.output<typeof entrySchema>;
