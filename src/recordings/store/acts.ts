import { z } from '#protocol/core/zod.ts';
import type { ShownEntry } from './payload-reader.ts';

/** How the text of a turn is sent: at once, as typed, or as a simulated model writes it. */
export type TextOrigin = 'whole' | 'typed' | 'simulated';

/** How lines of a script are heard: as they arrive, or each after the end of the line before it. */
export type Listening = 'together' | 'inTurn';

/**
 * What a person did that changes what is heard and that no frame tells: recorded as entries of the player, because a
 * replay that had the frames alone would go on speaking where somebody had pressed Cancel, and speak all lines of a
 * scene at once.
 */
export type Act = { turn: number | null; context: string | null } & (
  | { kind: 'begun'; origin: TextOrigin; line: number | null }
  /** The turn is a line of a script, heard in that way. */
  | { kind: 'line'; interrupts: boolean; listening: Listening; pauseMs: number }
  | { kind: 'listening'; listening: Listening; pauseMs: number }
  /** Barge-in on that context; null: on all. */
  | { kind: 'cancelled' }
  /** Nothing more is to be sent, and what waits is not wanted. */
  | { kind: 'disconnected' }
);

const listening = z.literal(['together', 'inTurn']);
const pauseMs = z.number().min(0).max(60_000);

const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('begun'),
    origin: z.literal(['whole', 'typed', 'simulated']),
    line: z.int().nonnegative().nullable(),
  }),
  z.object({ kind: z.literal('line'), interrupts: z.boolean(), listening, pauseMs }),
  z.object({ kind: z.literal('listening'), listening, pauseMs }),
  z.object({ kind: z.literal(['cancelled', 'disconnected']) }),
]);

/** The act that an entry of the player is; null where it is something else, or comes from elsewhere and is none. */
export function actOf({ kind, payload, turn, context }: ShownEntry): Act | null {
  try {
    const told: unknown = JSON.parse(typeof payload === 'string' ? payload : '');
    const parsed = schema.safeParse(typeof told === 'object' && told !== null ? { ...told, kind } : null);
    return parsed.success ? { ...parsed.data, turn, context } : null;
  } catch {
    return null;
  }
}
