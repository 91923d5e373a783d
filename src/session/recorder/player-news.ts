import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { HeardRecord, UnderrunRecord } from '#trace/player-entry.ts';
import type { Turn } from '../turns/turn.ts';

/** An event of the player for the recording. Times are wall clock. */
export type PlayerNews = UnderrunNews | { kind: 'heard'; turn: Turn };

interface UnderrunNews extends Pick<UnderrunRecord, 'sample' | 'samples' | 'end'> {
  kind: 'underrun';
  turn: Turn;
  atMs: number;
}

/** Converts wall time to the recording's clock. */
type ToUs = (wallMs: number) => number;

/** Returns head and payload of the entry for an event. */
export function playerEntryOf(news: PlayerNews, usOf: ToUs) {
  const { kind, turn } = news;
  return {
    note: { kind, turn: turn.id, context: turn.context === ONLY_CONTEXT ? null : turn.context },
    payload: JSON.stringify(kind === 'underrun' ? underrunOf(news, usOf) : heardSoFar(turn, usOf)),
  };
}

/** Returns what has been heard of a turn, and whether the rest was dropped. */
export function heardSoFar(
  { sampleRate, samples, played, playedSamples, dropped, state }: Turn,
  usOf: ToUs,
): HeardRecord {
  const isWhole = state === 'ended' && playedSamples >= samples && samples > 0;
  return {
    sampleRate,
    samples,
    spans: played.map(({ sample, count, atMs }) => ({ sample, count, atUs: usOf(atMs) })),
    dropped:
      dropped && !isWhole ? { sample: playedSamples, atUs: usOf(dropped.atMs), why: dropped.why } : null,
  };
}

const underrunOf = ({ turn, atMs, sample, samples, end }: UnderrunNews, usOf: ToUs): UnderrunRecord | null =>
  // Every turn that was heard has a rate.
  turn.sampleRate === null ? null : { sampleRate: turn.sampleRate, sample, atUs: usOf(atMs), samples, end };
