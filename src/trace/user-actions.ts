import type { Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import type { RecordHead } from './entry.ts';

/** How the text of a turn is sent: at once, as typed, at the pace of a simulated model, or as a live model writes it. */
export type TextOrigin = 'whole' | 'typed' | 'simulated' | 'live';

/** How lines of a script are heard: as they arrive, or each after the end of the line before it. */
export type Listening = 'together' | 'inTurn';

/** Speech of a person over the voice. */
export interface SpeechTimes {
  /** From the onset of the speech until the detector decided. */
  speechMs: number;
  /** From the decision until the action. */
  delayMs: number;
}

/**
 * An action of a person that no frame shows, recorded as an entry of the player, so that a replay can repeat it. A turn of
 * origin `live` begins with its question, before any text.
 */
export type UserAction = { turn: number | null; context: string | null } & (
  | {
      kind: 'begun';
      origin: TextOrigin;
      line: number | null;
      question?: string;
      model?: string;
      /** Of its speaker, those that decide its connection. */
      settings?: Settings;
    }
  /** The turn is a line of a script, heard in that way. */
  | { kind: 'line'; interrupts: boolean; listening: Listening; pauseMs: number }
  | { kind: 'listening'; listening: Listening; pauseMs: number }
  /** Barge-in on that context; null: on all. By speech where it has the times of speech. */
  | ({ kind: 'cancelled' } & Partial<SpeechTimes>)
  /** A person spoke, so everything waits until it continues or is cancelled. */
  | ({ kind: 'paused' } & SpeechTimes)
  /** The speech was a false alarm. */
  | { kind: 'continued' }
  /** Waiting text is discarded too. */
  | { kind: 'disconnected' }
);

const listening = z.literal(['together', 'inTurn']);
const pauseMs = z.number().check(z.gte(0), z.lte(60_000));
const speechMs = z.number().check(z.gte(0), z.lte(600_000));

const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('begun'),
    origin: z.literal(['whole', 'typed', 'simulated', 'live']),
    line: z.nullable(z.int().check(z.nonnegative())),
    question: z.exactOptional(z.string()),
    model: z.exactOptional(z.string()),
    settings: z.exactOptional(z.record(z.string(), z.unknown())),
  }),
  z.object({ kind: z.literal('line'), interrupts: z.boolean(), listening, pauseMs }),
  z.object({ kind: z.literal('listening'), listening, pauseMs }),
  z.object({
    kind: z.literal('cancelled'),
    speechMs: z.exactOptional(speechMs),
    delayMs: z.exactOptional(speechMs),
  }),
  z.object({ kind: z.literal('paused'), speechMs, delayMs: speechMs }),
  z.object({ kind: z.literal(['continued', 'disconnected']) }),
]);

/** Returns the user action in an entry of the player; null for any other entry, or one that does not parse. */
export function userActionOf({
  kind,
  payload,
  turn,
  context,
}: Pick<RecordHead, 'kind' | 'turn' | 'context'> & { payload: Frame | null }): UserAction | null {
  const fields = payload === null ? null : fieldsOf(payload);
  const parsed = fields && schema.safeParse({ ...fields, kind });
  return parsed?.data ? { ...parsed.data, turn, context } : null;
}
