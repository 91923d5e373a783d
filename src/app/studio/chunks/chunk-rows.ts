import type { ChunkView, TurnView } from '#session/views.ts';

/** Returns a chunk as a row of the table. Times are in ms since the turn's first text; null is unknown. */
export function chunkRow(turn: Pick<TurnView, 'firstTextMs' | 'sampleRate'>, chunk: ChunkView) {
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
    /** As reported by the server. */
    serverFirstAudioMs: chunk.figures?.firstAudioMs ?? null,
    serverAudioMs: chunk.figures?.audioMs ?? null,
  };
}

export type ChunkRow = ReturnType<typeof chunkRow>;

/** End of the sound; of a chunk that is still heard, the end of all of its audio. */
const soundEnd = ({ heardFrom, heardTo, audioSeconds }: ChunkRow): number | null =>
  heardTo ?? (heardFrom === null ? null : heardFrom + audioSeconds * 1000);

/** Returns the end of the scale that all rows share, in ms. */
export const scaleEnd = (rows: readonly ChunkRow[]): number =>
  Math.max(1, ...rows.flatMap((row) => [soundEnd(row) ?? 0, row.complete ?? 0, row.lastAudio ?? 0]));

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
