import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import type { UnderrunRecord } from '#trace/player-entry.ts';
import type { SessionTurn } from '../turns/session-turn.ts';

/** An event of the player for the recording. Times are wall clock. */
export type PlayerNews = UnderrunNews | { kind: 'heard'; turn: SessionTurn };

interface UnderrunNews extends Pick<UnderrunRecord, 'sample' | 'samples' | 'end'> {
  kind: 'underrun';
  turn: SessionTurn;
  atMs: number;
}

/** Converts wall time to the recording's clock. */
type ToUs = (wallMs: number) => number;

/** Returns head and payload of the entry for an event. */
export function playerEntryOf(news: PlayerNews, usOf: ToUs) {
  const { kind, turn } = news;
  return {
    note: { kind, turn: turn.id, context: turn.context === ONLY_CONTEXT ? null : turn.context },
    payload: JSON.stringify(kind === 'underrun' ? underrunOf(news, usOf) : turn.heard.record(usOf)),
  };
}

const underrunOf = ({ turn, atMs, sample, samples, end }: UnderrunNews, usOf: ToUs): UnderrunRecord | null =>
  // Every turn that was heard has a rate.
  turn.sampleRate === null ? null : { sampleRate: turn.sampleRate, sample, atUs: usOf(atMs), samples, end };
