import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { HeardRecord, UnderrunRecord } from '#recordings/format/player-entry.ts';
import type { Turn } from '../turns/turn.ts';

/** What the player did, on the wall clock, for the recording. */
export type PlayerNews = UnderrunNews | { kind: 'heard'; turn: Turn };

export interface UnderrunNews {
  kind: 'underrun';
  turn: Turn;
  atMs: number;
  /** The sample that was missing, and how many samples it was silent instead. */
  sample: number;
  samples: number;
  end: UnderrunRecord['end'];
}

/** Wall time on the recording's clock. */
type ToUs = (wallMs: number) => number;

/** Head and payload of the entry that tells it. */
export function playerEntryOf(news: PlayerNews, usOf: ToUs) {
  const { kind, turn } = news;
  return {
    note: { kind, turn: turn.id, context: turn.context === ONLY_CONTEXT ? null : turn.context },
    payload: JSON.stringify(kind === 'underrun' ? underrunOf(news, usOf) : heardSoFar(turn, usOf)),
  };
}

/** What has been heard of a turn, and whether what is left will be. */
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
  // A turn that is heard has a rate.
  turn.sampleRate === null ? null : { sampleRate: turn.sampleRate, sample, atUs: usOf(atMs), samples, end };
