import { largest } from '#lib/collections/arrays.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import type { ChunkView, TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';

/** Returns a chunk as a row of the table. Times are in ms since the turn's first text; null is unknown. */
function chunkRow(turn: Pick<TurnView, 'firstTextMs' | 'sampleRate'>, chunk: ChunkView) {
  const since = (atMs: number | null): number | null =>
    atMs === null || turn.firstTextMs === null ? null : atMs - turn.firstTextMs;
  return {
    id: chunk.id,
    text: chunk.text,
    spokenAs: chunk.spokenAs,
    characters: (chunk.text?.length ?? 0) + chunk.cutChars,
    sent: since(chunk.sentMs),
    started: since(chunk.startedMs),
    firstAudio: since(chunk.firstAudioMs),
    lastAudio: since(chunk.lastAudioMs),
    complete: since(chunk.completedMs),
    heardFrom: since(chunk.heardFromMs),
    heardTo: since(chunk.heardToMs),
    audioSeconds: audioSecondsOf({ samples: chunk.samples, sampleRate: turn.sampleRate }),
    generationMs: chunk.generationMs,
    /** As reported by the server. */
    serverFirstAudioMs: chunk.figures?.firstAudioMs ?? null,
    serverAudioMs: chunk.figures?.audioMs ?? null,
    wordSource: chunk.words?.length ? chunk.wordSource : null,
    wordsOffMs: wordsOffMs(chunk),
  };
}

/**
 * Returns by how much the vendor's word starts differ from those of the words in the sound: half of them by less than `median`,
 * and the farthest. Null where one of both is unknown.
 */
function wordsOffMs({ words, wordSource, measured }: ChunkView): { median: number; most: number } | null {
  if (wordSource !== 'server' || !words || !measured) return null;
  const starts = new Map(measured.map(({ charStart, startMs }) => [charStart, startMs]));
  const off = words.flatMap(({ charStart, charEnd, startMs }) => {
    const measuredMs = charEnd > 0 ? starts.get(charStart) : undefined;
    return measuredMs === undefined ? [] : Math.abs(startMs - measuredMs);
  });
  return off.length === 0 ? null : { median: percentile(off, 0.5), most: largest(off) };
}

export type ChunkRow = ReturnType<typeof chunkRow>;

interface KnownRow {
  firstTextMs: number | null;
  sampleRate: number | null;
  row: ChunkRow;
}

const known = new WeakMap<ChunkView, KnownRow>();

/** Returns the rows of all chunks of the turns. Rows of unchanged chunks keep their identity. */
export const chunkRows = (turns: readonly TurnView[]): { turn: TurnView; row: ChunkRow }[] =>
  turns.flatMap((turn) => turn.chunks.map((chunk) => ({ turn, row: rowOnce(turn, chunk) })));

function rowOnce({ firstTextMs, sampleRate }: TurnView, chunk: ChunkView): ChunkRow {
  const before = known.get(chunk);
  if (before?.firstTextMs === firstTextMs && before.sampleRate === sampleRate) return before.row;
  const row = chunkRow({ firstTextMs, sampleRate }, chunk);
  known.set(chunk, { firstTextMs, sampleRate, row });
  return row;
}

/** End of the sound; of a chunk that is still heard, the end of all of its audio. */
const soundEnd = ({ heardFrom, heardTo, audioSeconds }: ChunkRow): number | null =>
  heardTo ?? (heardFrom === null ? null : heardFrom + audioSeconds * 1000);

/** Returns the end of the scale that all rows share, in ms. */
export const scaleEnd = (rows: readonly ChunkRow[]): number =>
  rows.reduce((end, row) => Math.max(end, soundEnd(row) ?? 0, row.complete ?? 0, row.lastAudio ?? 0), 1);

/** Returns the bar of a row in percent of the shared scale: wait from text sent, generation, and heard audio. */
export function barSpans(row: ChunkRow, endMs: number) {
  const startedMs = row.started ?? row.firstAudio;
  const spans = [
    { kind: 'wait', from: row.sent, to: startedMs },
    { kind: 'generation', from: startedMs, to: row.complete ?? row.lastAudio },
    { kind: 'heard', from: row.heardFrom, to: soundEnd(row) },
  ] as const;
  return spans.flatMap(({ kind, from, to }) =>
    from === null || to === null || to <= from
      ? []
      : [{ kind, fromPercent: (from / endMs) * 100, widthPercent: ((to - from) / endMs) * 100 }],
  );
}
