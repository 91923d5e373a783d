import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { measuredRecord, type UnderrunRecord } from '#trace/player-entry.ts';
import type { FoundWords } from '../measuring/word-search.ts';
import type { SessionTurn } from '../turns/session-turn.ts';

/** An event of the player for the recording. Times are wall clock. */
export type PlayerNews =
  | UnderrunNews
  | { kind: 'heard'; turn: SessionTurn }
  | { kind: 'measured'; turn: SessionTurn; words: FoundWords };

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
  const place = { kind, turn: turn.id, context: turn.context === ONLY_CONTEXT ? null : turn.context };
  return {
    note: kind === 'measured' ? { ...place, chunk: news.words.chunk } : place,
    payload: JSON.stringify(recordOf(news, usOf)),
  };
}

function recordOf(news: PlayerNews, usOf: ToUs) {
  if (news.kind === 'underrun') return underrunOf(news, usOf);
  if (news.kind === 'heard') return news.turn.heard.record(usOf);
  const { chunk, text, by, words } = news.words;
  return measuredRecord(chunk, text, by, words);
}

const underrunOf = ({ turn, atMs, sample, samples, end }: UnderrunNews, usOf: ToUs): UnderrunRecord | null =>
  // Every turn that was heard has a rate.
  turn.sampleRate === null ? null : { sampleRate: turn.sampleRate, sample, atUs: usOf(atMs), samples, end };
