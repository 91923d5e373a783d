import type { Mark, TurnView } from '#session/views.ts';

/** A stretch of time in ms since the first text of its side. */
export interface Stretch {
  fromMs: number;
  toMs: number;
}

/** What one side draws, all in ms since its first text: so that two that were spoken at different times can be compared. */
export interface LaneFigure {
  texts: readonly number[];
  flushes: readonly number[];
  /** Arrivals of audio frames. */
  audio: readonly number[];
  /** Chunks as they were made. */
  made: readonly (Stretch & { text: string })[];
  heard: readonly Stretch[];
  /** Silence that the listener sat through: the wait, and every underrun. */
  silences: readonly Stretch[];
  /** The last moment that is drawn. */
  endMs: number;
}

const NOTHING: LaneFigure = {
  texts: [],
  flushes: [],
  audio: [],
  made: [],
  heard: [],
  silences: [],
  endMs: 0,
};

/**
 * @param turns of one run, in their order
 * @param asOfMs wall clock; what lasts still is drawn up to there
 */
export function laneFigure(turns: readonly TurnView[], marks: readonly Mark[], asOfMs: number): LaneFigure {
  const zeroMs = turns[0]?.firstTextMs ?? null;
  if (zeroMs === null) return NOTHING;
  const since = (atMs: number): number => atMs - zeroMs;
  const times = (kind: Mark['kind']): number[] =>
    marks.filter((mark) => mark.kind === kind).map(({ atMs }) => since(atMs));
  const made = turns.flatMap((turn) =>
    turn.chunks.flatMap(({ startedMs, firstAudioMs, completedMs, lastAudioMs, text }) => {
      const fromMs = startedMs ?? firstAudioMs;
      const toMs = completedMs ?? lastAudioMs ?? asOfMs;
      return fromMs === null
        ? []
        : { fromMs: since(fromMs), toMs: since(Math.max(fromMs, toMs)), text: text ?? '' };
    }),
  );
  const heard = turns.flatMap(({ heardFromMs, heardToMs }) =>
    heardFromMs === null
      ? []
      : { fromMs: since(heardFromMs), toMs: since(Math.max(heardFromMs, heardToMs ?? asOfMs)) },
  );
  const [first] = turns;
  const waitMs = first?.wait?.reduce((sum, { ms }) => sum + ms, 0) ?? null;
  const isOver = turns.every(({ endedMs }) => endedMs !== null);
  const waitedMs = waitMs ?? (isOver || first?.heardFromMs != null ? 0 : Math.max(0, since(asOfMs)));
  const underruns = turns.flatMap((turn) =>
    turn.underruns.map(({ atMs, lengthMs }) => ({
      fromMs: since(atMs),
      toMs: lengthMs === null ? since(Math.max(atMs, asOfMs)) : since(atMs) + lengthMs,
    })),
  );
  const silences = [...(waitedMs > 0 ? [{ fromMs: 0, toMs: waitedMs }] : []), ...underruns];
  const audio = times('audio');
  const endMs = Math.max(0, ...audio, ...[...made, ...heard, ...silences].map(({ toMs }) => toMs));
  return { texts: times('text'), flushes: times('flush'), audio, made, heard, silences, endMs };
}
