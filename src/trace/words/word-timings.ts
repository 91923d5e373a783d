import { addAll } from '#lib/collections/arrays.ts';
import type { CaptionWord } from '#lib/text/captions.ts';
import { isUnspaced, type WrittenWord, wordsIn, writtenWords } from '#lib/text/words.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';

/** Whence the times of words are: sent by the server, found in the sound, or worked out from their lengths. */
export type WordSource = 'server' | 'measured' | 'estimated';

/** Names of the sources for people. */
export const SOURCE_NAMES: Readonly<Record<WordSource, string>> = {
  server: 'from the vendor',
  measured: 'measured',
  estimated: 'estimated',
};

type Sourced = Pick<TimedChunk, 'words' | 'wordSource'>;

/** Returns the least exact source of some chunks. */
export function wordSourceOf(chunks: readonly Sourced[]): WordSource {
  const unsaid = chunks.filter(({ words, wordSource }) => words === null || wordSource !== 'server');
  if (unsaid.length === 0) return 'server';
  return unsaid.every(({ wordSource }) => wordSource === 'measured') ? 'measured' : 'estimated';
}

/** Names all sources of the words of turns. */
export function sourceWords(turns: readonly TimedTurn[]): string {
  const timed = turns.flatMap(({ chunks }) => chunks.filter(({ words }) => words?.length));
  return [...new Set(timed.map(({ wordSource }) => SOURCE_NAMES[wordSource]))].join(', ');
}

export interface TimedWord extends SpokenWord, CaptionWord {
  turn: number;
  chunk: number;
}

/**
 * Returns the words of a chunk after more came. A server may send them in parts, in which a word may begin at the same
 * moment as the one before it. Words that begin behind the last known one neither in time nor in the text replace all.
 * Servers report phrases and single characters too, from which the words of the text are made.
 * @param known null before the first @param text of the chunk; null for an unknown one
 */
export function joinedWords(
  known: readonly SpokenWord[] | null,
  more: readonly SpokenWord[],
  text: string | null,
): readonly SpokenWord[] | null {
  const [first] = more;
  if (!first) return known;
  const last = known?.at(-1);
  if (!known || !last || !isBehind(first, last)) return wordsOfText(more, text);
  // Its word may go on.
  return [...known.slice(0, -1), ...wordsOfText([last, ...more], text)];
}

/** Returns words of the text in place of stretches in a script without spaces, and of phrases. */
function wordsOfText(words: readonly SpokenWord[], text: string | null): SpokenWord[] {
  const result: SpokenWord[] = [];
  let stretch: SpokenWord[] = [];
  const end = (): void => {
    // Not as arguments, because there may be very many.
    for (const word of stretch.some(isStretch) ? divided(stretch, text) : stretch) result.push(word);
    stretch = [];
  };
  for (const word of words) {
    const before = stretch.at(-1);
    // Marks belong to the stretch that they touch, and were dropped from the part that is known.
    const isJoined =
      before &&
      isPlaced(before, text) &&
      isPlaced(word, text) &&
      MARKS.test(text?.slice(before.charEnd, word.charStart) ?? ' ') &&
      [before, word].some((part) => isStretch(part) || MARKS.test(part.word));
    if (!isJoined) end();
    stretch.push(word);
  }
  end();
  return result;
}

const isStretch = ({ word }: SpokenWord): boolean => isUnspaced(word) || /\S\s+\S/.test(word);
const MARKS = /^[\p{P}\p{C}]*$/u;
const isPlaced = ({ word, charStart, charEnd }: SpokenWord, text: string | null): boolean =>
  text?.slice(charStart, charEnd) === word;

/** Returns the words of a stretch. A part gives its time to its words by their length. */
function divided(parts: readonly SpokenWord[], text: string | null): SpokenWord[] {
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return [];
  const isInText = text !== null && isPlaced(first, text);
  const whole = isInText ? text.slice(first.charStart, last.charEnd) : first.word;
  const edgesOf = ({ charStart, charEnd }: SpokenWord) =>
    isInText
      ? { from: charStart - first.charStart, to: charEnd - first.charStart }
      : { from: 0, to: whole.length };
  const timeAt = (at: number, part: SpokenWord): number => {
    const { from, to } = edgesOf(part);
    const reached = Math.min(Math.max(at, from), to) - from;
    return part.startMs + (Math.max(0, part.endMs - part.startMs) * reached) / (to - from);
  };
  const isExact = isInText || first.charEnd - first.charStart === whole.length;
  const placeAt = (at: number, edge: 'charStart' | 'charEnd'): number =>
    isExact ? first.charStart + at : first[edge];
  let reached = 0;
  const words = (isInText ? wordsAt(text, first.charStart, whole.length) : writtenWords(whole)).map(
    ({ start, end }): SpokenWord => {
      while (reached < parts.length - 1 && edgesOf(parts[reached] ?? last).to <= start) reached += 1;
      const own = [parts[reached] ?? last];
      for (let next = reached + 1; next < parts.length; next += 1) {
        const part = parts[next] ?? last;
        if (edgesOf(part).from >= end) break;
        own.push(part);
      }
      const [from, to] = [own[0] ?? first, own.at(-1) ?? last];
      const isShare = start > edgesOf(from).from || end < edgesOf(to).to;
      return {
        word: whole.slice(start, end),
        startMs: timeAt(start, from),
        endMs: timeAt(end, to),
        charStart: placeAt(start, 'charStart'),
        charEnd: placeAt(end, 'charEnd'),
        ...((isShare || own.some(({ isEstimated }) => isEstimated)) && { isEstimated: true as const }),
      };
    },
  );
  return words.length > 0 ? words : [...parts];
}

/** Frames of one chunk ask for the words of the same text, or of one that has grown. */
const lastRead: { text: string; words: WrittenWord[] } = { text: '', words: [] };

/** Returns the words of a part of a text, with offsets in it. */
function wordsAt(text: string, from: number, length: number): WrittenWord[] {
  readWords(text);
  const { words } = lastRead;
  const first = words.findLastIndex(({ end }) => end <= from) + 1;
  return words.slice(first).flatMap(({ start, end }) => {
    const word = { start: Math.max(0, start - from), end: Math.min(length, end - from) };
    return word.start < word.end ? word : [];
  });
}

/** Brings {@link lastRead} to a text. The words of a text that goes on stay up to a place across which no word can reach. */
function readWords(text: string): void {
  const { text: before, words } = lastRead;
  if (text === before) return;
  let from = text.startsWith(before) ? before.length : 0;
  while (from > 0 && !isBetweenWords(before, from)) from -= 1;
  lastRead.text = text;
  while ((words.at(-1)?.end ?? 0) > from) words.pop();
  addAll(words, wordsIn(text, from, text.length));
}

/** Behind white space, or a mark behind a script without spaces. */
const isBetweenWords = (text: string, at: number): boolean => {
  const [before, last] = [text.charAt(at - 2), text.charAt(at - 1)];
  return /\s/.test(last) || (isUnspaced(before) && /\p{P}/u.test(last) && !isUnspaced(last));
};

function isBehind(word: SpokenWord, last: SpokenWord): boolean {
  if (word.startMs > last.startMs) return true;
  // Words that the text does not have are all at one place, so only their times tell.
  const isPlaced = word.charEnd > word.charStart || last.charEnd > last.charStart;
  return word.charStart >= last.charEnd && (isPlaced || word.startMs === last.startMs);
}

/** The part of a `ChunkView` that word timings need. */
export interface TimedChunk {
  id: number;
  text: string | null;
  words: readonly SpokenWord[] | null;
  wordSource: WordSource;
  startSample: number;
}

/** The part of a `TurnView` that word timings need. */
export interface TimedTurn {
  id: number;
  context: string;
  sampleRate: number | null;
  samples: number;
  chunks: readonly TimedChunk[];
  /** Of an interrupted turn whose server says which text was heard. */
  heard?: {
    server: string;
    /** Up to the last one that was heard; null where no player recorded it. */
    playedSamples: number | null;
  };
}

/**
 * Returns the words of turns with their places in the received audio, in ms. The turns are of one context, in the order
 * of speaking, and their audio is end to end, as in a WAV file of the context.
 */
export const timedWords = (turns: readonly TimedTurn[]): TimedWord[] => wordsByChunk(turns).flat(2);

/** Returns the words of {@link timedWords} as a JSON file. */
export function timingsJson(turns: readonly TimedTurn[]): string {
  const words = wordsByChunk(turns);
  const value = {
    format: 'voicewire-words',
    version: 1,
    times: 'received',
    turns: turns.map(({ id, context, sampleRate, chunks, heard }, i) => ({
      turn: id,
      context,
      sampleRate,
      ...(heard && { heard: heardTexts(heard, chunks, words[i] ?? [], sampleRate ?? 0) }),
      chunks: chunks.map((chunk, j) => ({
        chunk: chunk.id,
        text: chunk.text,
        ...(chunk.words && { source: SOURCE_NAMES[chunk.wordSource] }),
        ...(chunk.wordSource === 'estimated' && { estimated: true }),
        words: words[i]?.[j]?.map(({ word, startMs, endMs, charStart, charEnd, isEstimated }) => ({
          ...{ word, startMs, endMs, charStart, charEnd },
          ...(isEstimated && { estimated: true }),
        })),
      })),
    })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Returns the heard text as the server says, and up to the last whole word that was played. */
function heardTexts(
  { server, playedSamples }: NonNullable<TimedTurn['heard']>,
  chunks: readonly TimedChunk[],
  words: readonly (readonly TimedWord[])[],
  sampleRate: number,
) {
  if (playedSamples === null) return { server, clock: null };
  const played = chunks.flatMap(({ startSample, words: times }, at) =>
    (words[at] ?? []).filter((_, place) => {
      const endMs = times?.[place]?.endMs ?? Number.POSITIVE_INFINITY;
      return startSample + Math.round((endMs * sampleRate) / 1000) <= playedSamples;
    }),
  );
  const isEstimated = chunks.some(
    ({ startSample, wordSource, words: times }) =>
      (wordSource === 'estimated' || times?.some(({ isEstimated }) => isEstimated)) &&
      startSample < playedSamples,
  );
  const clock = played.map(({ text, joined }, at) => (at > 0 && !joined ? ` ${text}` : text)).join('');
  return { server, clock, ...(isEstimated && { estimated: true }) };
}

/** Returns the words of each chunk of each turn. */
function wordsByChunk(turns: readonly TimedTurn[]): TimedWord[][][] {
  let receivedMs = 0;
  return turns.map(({ id, sampleRate, samples, chunks }) => {
    if (sampleRate === null) return chunks.map(() => []);
    const fromMs = receivedMs;
    receivedMs += (samples / sampleRate) * 1000;
    return chunks.map((chunk) => wordsOf(id, chunk, fromMs + (chunk.startSample / sampleRate) * 1000));
  });
}

function wordsOf(turn: number, chunk: TimedChunk, chunkMs: number): TimedWord[] {
  const words = chunk.words ?? [];
  const texts = textsOf(chunk.text, words);
  return words.map((word, i) => ({
    ...word,
    ...(texts[i] ?? { text: word.word }),
    startMs: chunkMs + word.startMs,
    endMs: chunkMs + word.endMs,
    turn,
    chunk: chunk.id,
  }));
}

type Written = Pick<CaptionWord, 'text' | 'joined'>;

/** Returns words with their punctuation, and whether a space precedes them; bare words where offsets do not fit. */
function textsOf(text: string | null, words: readonly SpokenWord[]): Written[] {
  const fits =
    text !== null &&
    words.every(
      ({ word, charStart, charEnd }, i) =>
        charStart >= (words[i - 1]?.charEnd ?? 0) && text.slice(charStart, charEnd) === word,
    );
  if (!fits) return words.map(({ word }) => ({ text: word }));
  let before = text.slice(0, words[0]?.charStart ?? 0).trimStart();
  let joined = false;
  return words.map(({ word, charEnd }, i) => {
    const between = text.slice(charEnd, words[i + 1]?.charStart ?? text.length);
    // Punctuation belongs to the word that it touches without a space.
    const lastSpace = between.search(/\s\S*$/);
    const own = lastSpace < 0 || i === words.length - 1 ? between : between.slice(0, lastSpace);
    const written: Written = { text: (before + word + own).trimEnd(), ...(joined ? { joined } : {}) };
    joined = lastSpace < 0;
    before = lastSpace < 0 ? '' : between.slice(lastSpace + 1);
    return written;
  });
}
