import { PlayedRanges } from '#player/played-ranges.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import type { RecordEntry } from './entry.ts';
import type { FoundWord } from './words/text-search.ts';

/**
 * Entries of direction `player`: what the player did with the samples of a turn. The entry's head has turn and context.
 * Samples are counted from the turn's first. Times are those at which samples left the speakers, in microseconds of the
 * recording's clock. An entry is written once its content is known, so these times are before the entry's own, or behind
 * it by the latency of the output.
 */

const count = z.int().check(z.nonnegative());
const timeUs = z.int();
const sampleRate = z.number().check(z.positive());

/** The limit of one turn: only a forged file has more. */
const MAX_SPANS = 10_000;

/** An underrun, written when it is over. Running dry behind the last sample of a turn is none. */
const underrunSchema = z.object({
  kind: z.literal('underrun'),
  /** In Hz. */
  sampleRate,
  sample: count,
  atUs: timeUs,
  /** The length of the silence in samples, exact where the turn went on. */
  samples: count,
  /** `resumed`: the turn went on with that sample. `silenced`: it was dropped meanwhile. */
  end: z.literal(['resumed', 'silenced']),
});

/**
 * A turn is over for the listener, heard to its end or dropped. Each turn that had audio, or was dropped while audio was
 * due, has one. A turn that resumed with more audio has several; the last holds everything.
 */
const heardSchema = z.object({
  kind: z.literal('heard'),
  /** In Hz; null where no audio came. */
  sampleRate: z.nullable(sampleRate),
  /** Received of the turn. Audio that arrived after the turn was dropped is not included. */
  samples: count,
  /** The played ranges in the order of hearing; see {@link PlayedRanges} for overlaps. */
  spans: z.array(z.object({ sample: count, count, atUs: timeUs })).check(z.maxLength(MAX_SPANS)),
  /** The sample from which on it was dropped, when and why; null where all of it was heard. */
  dropped: z.nullable(
    z.object({
      sample: count,
      atUs: timeUs,
      /** A user's cancel, an interrupting line, a context closed at once, another server, or a repeat in its place: `replay`. */
      why: z.literal(['cancel', 'bargeIn', 'contextClosed', 'otherServer', 'replay']),
    }),
  ),
});

/** Words of a text beyond which a record is forged. */
const MAX_WORDS = 20_000;
const ms = z.number().check(z.nonnegative());

/** The words of a chunk were found in its sound, once no more of it came. */
const measuredSchema = z.object({
  kind: z.literal('measured'),
  chunk: count,
  /** Length of the text of the chunk. */
  chars: count,
  /** The engine of the reference, and the version of the search. */
  by: z.string(),
  /** Start and end in ms of the chunk's sound, and in characters of its text; then ms in the reference, and least ms of a stretch. */
  words: z.array(z.tuple([ms, ms, count, count, ms, z.nullable(ms)])).check(z.maxLength(MAX_WORDS)),
});

const schema = z.discriminatedUnion('kind', [underrunSchema, heardSchema, measuredSchema]);

export type PlayerRecord = z.output<typeof schema>;
export type UnderrunRecord = Omit<z.output<typeof underrunSchema>, 'kind'>;
export type HeardRecord = Omit<z.output<typeof heardSchema>, 'kind'>;
export type MeasuredRecord = Omit<z.output<typeof measuredSchema>, 'kind'>;
export type DropReason = NonNullable<HeardRecord['dropped']>['why'];

/** Returns the player's record in an entry; null where there is none, or none that this version knows. */
export function playerRecordOf({
  direction,
  kind,
  payload,
}: Pick<RecordEntry, 'direction' | 'kind'> & {
  payload: RecordEntry['payload'] | null;
}): PlayerRecord | null {
  if (direction !== 'player' || payload === null) return null;
  return schema.safeParse({ ...fieldsOf(payload), kind }).data ?? null;
}

/** The played ranges of a turn, at ms of the recording. */
export const playedRangesOf = ({ sampleRate, spans }: HeardRecord): PlayedRanges =>
  new PlayedRanges(
    sampleRate ?? 0,
    spans.map(({ sample, count, atUs }) => ({ sample, count, atMs: atUs / 1000 })),
  );

/** Returns the record of the words of a chunk. */
export const measuredRecord = (
  chunk: number,
  text: string,
  by: string,
  words: readonly FoundWord[],
): MeasuredRecord => ({
  chunk,
  chars: text.length,
  by,
  words: words.map(({ startMs, endMs, charStart, charEnd, referenceMs, leastMs }) => [
    startMs,
    endMs,
    charStart,
    charEnd,
    referenceMs,
    leastMs,
  ]),
});

/** Returns the words of a record; null where they are those of another text. */
export const measuredWords = ({ chars, words }: MeasuredRecord, text: string | null): FoundWord[] | null =>
  text?.length === chars
    ? words.map(([startMs, endMs, charStart, charEnd, referenceMs, leastMs]) => ({
        word: text.slice(charStart, charEnd),
        startMs,
        endMs,
        charStart,
        charEnd,
        referenceMs,
        leastMs,
      }))
    : null;

/** Returns the record with all times moved. */
export const laterBy = <Heard extends HeardRecord>(heard: Heard, byUs: number): Heard => ({
  ...heard,
  spans: heard.spans.map((span) => ({ ...span, atUs: span.atUs + byUs })),
  dropped: heard.dropped && { ...heard.dropped, atUs: heard.dropped.atUs + byUs },
});

/** Returns the payload for a recording whose clock began `byUs` later, because it continues one that was full. */
export function movedBack(entry: Pick<RecordEntry, 'direction' | 'kind' | 'payload'>, byUs: number): string {
  const record = playerRecordOf(entry);
  if (!record || record.kind === 'measured') return String(entry.payload);
  const { kind, ...moved } =
    'spans' in record ? laterBy(record, -byUs) : { ...record, atUs: record.atUs - byUs };
  return JSON.stringify(moved);
}
