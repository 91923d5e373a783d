import { PlayedRanges } from '#player/played-ranges.ts';
import type { TurnView } from '#session/views.ts';
import { type WordSource, wordSourceOf } from '#trace/words/word-timings.ts';
import type { SessionClient } from '../../session-client/session-client.ts';
import { isHeardWhole, type SessionState } from '../../session-client/session-state.ts';
import { partsOf, type TranscriptPart, type TranscriptWord, wordsOf } from './words.ts';

/** Whether all of its text was heard. A turn that was cut off may have text that no chunk has spoken. */
export const isSpokenWhole = (turn: Pick<TurnView, 'state' | 'heardToMs' | 'chunks'>): boolean =>
  turn.state === 'ended' && isHeardWhole(turn);

/**
 * Returns the beginning of a turn's text that was heard, up to the end of a word. A word counts from its last sample
 * on, with the punctuation behind it. In a chunk without words, as many count as its share of the audio.
 * @param sample the last sample that was heard, -1 for none
 */
function heardTextOf(turn: TurnView, sample: number): string {
  if (isSpokenWhole(turn)) return turn.text;
  let text = '';
  let end = 0;
  for (const part of partsOf(turn)) {
    const isHeard = heardIn(part, turn, sample);
    for (const segment of part.segments) {
      text += segment.text;
      if (segment.kind === 'word' && isHeard(segment)) end = text.length;
    }
  }
  if (end === 0) return '';
  return text.slice(0, end) + (/^[\p{P}\p{S}]*/u.exec(text.slice(end))?.[0] ?? '');
}

function heardIn(part: TranscriptPart, turn: TurnView, sample: number): (word: TranscriptWord) => boolean {
  if (part.timed) return ({ endSample }) => endSample <= sample + 1;
  const chunk = turn.chunks.find(({ id }) => id === part.chunk);
  if (!chunk || chunk.samples === 0) return () => false;
  const words = wordsOf([part]);
  const share = Math.min(1, (sample + 1 - chunk.startSample) / chunk.samples);
  const before = (words[0]?.index ?? 0) + Math.floor(words.length * share);
  return ({ index }) => index < before;
}

/** The text of a turn that was heard by this page's own clock, which counts played samples. */
export function heardByClock(turn: TurnView): {
  text: string;
  source: WordSource;
} {
  const { end } = new PlayedRanges(turn.sampleRate ?? 0, turn.played);
  const played = turn.chunks.filter(({ samples, startSample }) => samples > 0 && startSample < end);
  return { text: heardTextOf(turn, end - 1), source: wordSourceOf(played) };
}

export type HeardVerdict = 'same' | 'serverMore' | 'serverLess' | 'different';

/** Shown of the beginning that two texts share. */
const SHARED_LETTERS = 40;

/** Where a text differs from the other, and where the words right before that begin. */
export interface HeardSplit {
  text: string;
  from: number;
  differsFrom: number;
}

/**
 * Compares the heard text of the server with that of the page by letters and digits alone, because servers write spaces,
 * case and punctuation otherwise.
 */
export function compareHeard(
  server: string,
  clock: string,
): { verdict: HeardVerdict; server: HeardSplit; clock: HeardSplit } {
  const [ofServer, ofClock] = [lettersOf(server), lettersOf(clock)];
  const differing = ofServer.findIndex(({ letter }, at) => letter !== ofClock[at]?.letter);
  const shared = differing < 0 ? ofServer.length : differing;
  const [isServerWhole, isClockWhole] = [shared === ofServer.length, shared === ofClock.length];
  const cut = Math.max(0, shared - SHARED_LETTERS);
  const wordAt = ofServer.findIndex(
    ({ at }, index) => index >= cut && index < shared && /\s/.test(server.charAt(at - 1)),
  );
  const first = cut === 0 ? 0 : wordAt < 0 ? cut : wordAt;
  const splitOf = (text: string, letters: typeof ofServer): HeardSplit => ({
    text,
    from: first === 0 ? 0 : (letters[first]?.at ?? 0),
    differsFrom: letters[shared]?.at ?? text.length,
  });
  return {
    verdict: VERDICTS[`${isServerWhole}${isClockWhole}`],
    server: splitOf(server, ofServer),
    clock: splitOf(clock, ofClock),
  };
}

/** By whether all of the server's text, and all of the page's, is in the other. */
const VERDICTS = {
  truetrue: 'same',
  truefalse: 'serverLess',
  falsetrue: 'serverMore',
  falsefalse: 'different',
} as const;

const lettersOf = (text: string) =>
  Array.from(text.matchAll(/[\p{L}\p{M}\p{N}]/gu), ({ 0: letter, index: at }) => ({
    letter: letter.toLowerCase(),
    at,
  }));

/** An answer is spoken in few turns, and they are near one another. */
const NEAR_TURNS = 16;

/** Returns the turns of a live model's answer in order. @param first the turn that began with the question */
export const turnsOfAnswer = ({ turns }: Pick<SessionState, 'turns'>, first: number): TurnView[] =>
  Array.from({ length: NEAR_TURNS }, (_, at) => turns.get(first + at)).filter(
    (turn) => turn?.answer?.turn === first,
  ) as TurnView[];

/** Returns the recent turns of the answer to a request in order. */
export const turnsOfRequest = (
  { turnIds, turns }: Pick<SessionState, 'turnIds' | 'turns'>,
  request: number,
): TurnView[] =>
  turnIds
    .slice(-NEAR_TURNS)
    .flatMap((id) => turns.get(id) ?? [])
    .filter(({ answer }) => answer?.request === request);

/** Returns what was heard so far of several turns. */
export function heardOf(client: SessionClient, turns: readonly TurnView[]): string {
  client.playheads.follow(client.state.player, client.sound.heardMs());
  const heard = turns.map((turn) => heardTextOf(turn, client.playheads.placeOf(turn).sample).trim());
  return heard.filter((text) => text !== '').join(' ');
}
