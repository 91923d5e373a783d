import type { ChunkView, TurnView } from '#session/views.ts';

/** A chunk of the table. Times are in ms since the turn's first text; null is unknown. */
export interface ChunkRow {
  id: number;
  text: string | null;
  sent: number | null;
  started: number | null;
  firstAudio: number | null;
  lastAudio: number | null;
  complete: number | null;
  heardFrom: number | null;
  heardTo: number | null;
  audioSeconds: number;
  generationMs: number | null;
  /** As reported by the server. */
  serverFirstAudioMs: number | null;
  serverAudioMs: number | null;
}

export function chunkRow(turn: Pick<TurnView, 'firstTextMs' | 'sampleRate'>, chunk: ChunkView): ChunkRow {
  const since = (atMs: number | null): number | null =>
    atMs === null || turn.firstTextMs === null ? null : atMs - turn.firstTextMs;
  return {
    id: chunk.id,
    text: chunk.text,
    sent: since(chunk.sentMs),
    started: since(chunk.startedMs),
    firstAudio: since(chunk.firstAudioMs),
    lastAudio: since(chunk.lastAudioMs),
    complete: since(chunk.completedMs),
    heardFrom: since(chunk.heardFromMs),
    heardTo: since(chunk.heardToMs),
    audioSeconds: turn.sampleRate ? chunk.samples / turn.sampleRate : 0,
    generationMs: chunk.generationMs,
    serverFirstAudioMs: chunk.figures?.firstAudioMs ?? null,
    serverAudioMs: chunk.figures?.audioMs ?? null,
  };
}

/** Returns true if every cell is equal. */
export const isSameRow = (a: ChunkRow, b: ChunkRow): boolean =>
  (Object.keys(a) as (keyof ChunkRow)[]).every((cell) => a[cell] === b[cell]);

/** A part of a row's bar, in percent of the shared scale. */
export interface BarSpan {
  kind: 'wait' | 'generation' | 'heard';
  fromPercent: number;
  widthPercent: number;
}

/** Returns the end of the scale that all rows share, in ms. */
export const scaleEnd = (rows: readonly ChunkRow[]): number =>
  Math.max(
    1,
    ...rows.map((row) =>
      Math.max(
        row.heardTo ?? 0,
        row.complete ?? 0,
        row.lastAudio ?? 0,
        // A chunk that is still heard ends after all of its audio.
        row.heardFrom === null ? 0 : row.heardFrom + row.audioSeconds * 1000,
      ),
    ),
  );

/** Returns the bar of a row: wait from text sent, generation, and heard audio. */
export function barSpans(row: ChunkRow, endMs: number): BarSpan[] {
  const spans: BarSpan[] = [];
  const add = (kind: BarSpan['kind'], from: number | null, to: number | null) => {
    if (from === null || to === null || to <= from) return;
    spans.push({ kind, fromPercent: (from / endMs) * 100, widthPercent: ((to - from) / endMs) * 100 });
  };
  add('wait', row.sent, row.started ?? row.firstAudio);
  add('generation', row.started ?? row.firstAudio, row.complete ?? row.lastAudio);
  add(
    'heard',
    row.heardFrom,
    row.heardTo ?? (row.heardFrom === null ? null : row.heardFrom + row.audioSeconds * 1000),
  );
  return spans;
}
