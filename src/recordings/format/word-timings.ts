import type { CaptionWord } from '#lib/text/captions.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';

export interface TimedWord extends SpokenWord, CaptionWord {
  turn: number;
  chunk: number;
}

/**
 * Returns the words of a chunk after more came. A server may send them in parts, in which a word may begin at the same
 * moment as the one before it. Words that begin behind the last known one neither in time nor in the text replace all.
 * @param known null before the first
 */
export function joinedWords(
  known: readonly SpokenWord[] | null,
  more: readonly SpokenWord[],
): readonly SpokenWord[] | null {
  const [first] = more;
  if (!first) return known;
  const last = known?.at(-1);
  return known && last && isBehind(first, last) ? [...known, ...more] : more;
}

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
  /** The server sent no times of its words. */
  wordsAreEstimated: boolean;
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
        ...(chunk.wordsAreEstimated ? { estimated: true } : {}),
        words: words[i]?.[j]?.map(({ text, joined, turn, chunk, ...word }) => word),
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
    ({ startSample, wordsAreEstimated }) => wordsAreEstimated && startSample < playedSamples,
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
  const texts = writtenWords(chunk.text, words);
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
function writtenWords(text: string | null, words: readonly SpokenWord[]): Written[] {
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
