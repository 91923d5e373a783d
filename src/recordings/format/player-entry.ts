import { z } from '#protocol/core/zod.ts';
import type { RecordEntry } from './record.ts';

/**
 * What the player did with the samples of a turn, as entries of direction `player` tell it. Turn and context stand in
 * the entry's head; samples are counted from the turn's first, times in microseconds of the recording's own clock, at
 * which they left the speakers. Entries come when a thing is known, so those times lie before the entry's own, or, by
 * the latency of the output, a little behind it.
 */

/** A person's cancel, a line that interrupts, a context closed at once, another server, or a replay in its place. */
export const DROP_REASONS = ['cancel', 'bargeIn', 'contextClosed', 'otherServer', 'replay'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

const count = z.int().nonnegative();
const timeUs = z.int();
const sampleRate = z.number().positive();

/** Of one turn; more are of a forged file. */
const MAX_SPANS = 10_000;

/**
 * Kind `underrun`: the player ran dry in the middle of a turn. Told when it is over, and only if it was one: running dry
 * behind a turn's last sample is its end.
 */
export const underrunSchema = z.object({
  /** In Hz. */
  sampleRate,
  /** The sample that was missing. */
  sample: count,
  /** When it should have been heard. */
  atUs: timeUs,
  /** How long it was silent instead, in samples of that rate: exact where it went on. */
  samples: count,
  /** `resumed`: it went on with that sample. `silenced`: the turn was dropped meanwhile. */
  end: z.literal(['resumed', 'silenced']),
});

const spanSchema = z.object({ sample: count, count, atUs: timeUs });

/**
 * Kind `heard`: a turn is over for the listener, heard to its end or dropped. One for each turn that had audio, or was
 * dropped while audio was due; of a turn that came back with more audio the last one counts, and holds all.
 */
export const heardSchema = z.object({
  /** In Hz; null where no audio came. */
  sampleRate: sampleRate.nullable(),
  /** Of the turn. Audio that came for it later was not taken: it came after it was dropped. */
  samples: count,
  /**
   * What left the speakers, in that order; each stretch without a break. Between two of them there was silence, and
   * where they overlap a few milliseconds were heard twice: another line was taken out of the queue.
   */
  spans: z.array(spanSchema).max(MAX_SPANS),
  /** From which sample on it was dropped, when and why; null where all of it was heard. */
  dropped: z.object({ sample: count, atUs: timeUs, why: z.literal(DROP_REASONS) }).nullable(),
});

export type UnderrunRecord = z.output<typeof underrunSchema>;
export type HeardRecord = z.output<typeof heardSchema>;

export type PlayerRecord = ({ kind: 'underrun' } & UnderrunRecord) | ({ kind: 'heard' } & HeardRecord);

/** What an entry says of the player; null where it says nothing of it, or nothing that this version knows. */
export function playerRecordOf({
  direction,
  kind,
  payload,
}: Pick<RecordEntry, 'direction' | 'kind'> & { payload: unknown }): PlayerRecord | null {
  if (direction !== 'player' || typeof payload !== 'string') return null;
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  if (kind === 'underrun') {
    const { data } = underrunSchema.safeParse(value);
    return data ? { kind, ...data } : null;
  }
  if (kind !== 'heard') return null;
  const { data } = heardSchema.safeParse(value);
  return data ? { kind, ...data } : null;
}

/** The same with all times moved. */
export const laterBy = (heard: HeardRecord, byUs: number): HeardRecord => ({
  ...heard,
  spans: heard.spans.map((span) => ({ ...span, atUs: span.atUs + byUs })),
  dropped: heard.dropped && { ...heard.dropped, atUs: heard.dropped.atUs + byUs },
});

/** The payload as it reads where the clock began so much later: in the recording that goes on where one was full. */
export function movedBack(entry: Pick<RecordEntry, 'direction' | 'kind' | 'payload'>, byUs: number): string {
  const record = playerRecordOf(entry);
  if (!record) return String(entry.payload);
  const { kind, ...told } = record;
  return JSON.stringify('spans' in told ? laterBy(told, -byUs) : { ...told, atUs: told.atUs - byUs });
}
