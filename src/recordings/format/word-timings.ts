import type { CaptionWord } from '#lib/captions.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';

/**
 * Words of turns with their times. `received`: where a word lies in the audio that came, the turns of a context end to
 * end, as in a WAV file of it. `heard`: when it left the speakers, from the first that was heard; what was never heard
 * is left out.
 */
export type TimeBase = 'received' | 'heard';

export interface TimedWord extends SpokenWord, CaptionWord {
  turn: number;
  chunk: number;
}

/** The part of a chunk that word timings are made of; see `ChunkView`. */
export interface TimedChunk {
  id: number;
  text: string | null;
  words: readonly SpokenWord[] | null;
  startSample: number;
  heardFromMs: number | null;
}

/** The part of a turn that word timings are made of; see `TurnView`. */
export interface TimedTurn {
  id: number;
  context: string;
  sampleRate: number | null;
  samples: number;
  heardFromMs: number | null;
  heardToMs: number | null;
  underruns: readonly { atSample: number; lengthMs: number | null }[];
  chunks: readonly TimedChunk[];
}

/** The words of one turn, or of several of one context in the order in which they were spoken. */
export function timedWords(turns: readonly TimedTurn[], base: TimeBase): TimedWord[] {
  const heard = turns.flatMap(({ heardFromMs }) => heardFromMs ?? []);
  const zeroMs = heard.length > 0 ? Math.min(...heard) : 0;
  let receivedMs = 0;
  return turns.flatMap((turn) => {
    const { sampleRate } = turn;
    if (sampleRate === null) return [];
    const fromMs = receivedMs;
    receivedMs += (turn.samples / sampleRate) * 1000;
    return turn.chunks.flatMap((chunk) => {
      const shift =
        base === 'received' ? inAudio(chunk, sampleRate, fromMs) : asHeard(turn, chunk, sampleRate, zeroMs);
      return shift ? wordsOf(turn.id, chunk, shift) : [];
    });
  });
}

/** Word timings as a JSON file has them. */
export function timingsJson(turns: readonly TimedTurn[], base: TimeBase): string {
  const words = new Map<string, TimedWord[]>();
  for (const word of timedWords(turns, base)) {
    const key = `${word.turn} ${word.chunk}`;
    const ofChunk = words.get(key) ?? [];
    words.set(key, ofChunk);
    ofChunk.push(word);
  }
  const value = {
    format: 'voicewire-words',
    version: 1,
    times: base,
    turns: turns.map(({ id, context, sampleRate, chunks }) => ({
      turn: id,
      context,
      sampleRate,
      chunks: chunks.map((chunk) => ({
        chunk: chunk.id,
        text: chunk.text,
        words: (words.get(`${id} ${chunk.id}`) ?? []).map(({ word, startMs, endMs, charStart, charEnd }) => ({
          word,
          startMs,
          endMs,
          charStart,
          charEnd,
        })),
      })),
    })),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** From ms of the chunk's audio to ms of the file; null where that was never heard. */
type Shift = (ms: number) => number | null;

const inAudio =
  (chunk: TimedChunk, sampleRate: number, fromMs: number): Shift =>
  (ms) =>
    fromMs + (chunk.startSample / sampleRate) * 1000 + ms;

/** Underruns within a chunk push back what comes after them; those before it are in the time it was heard from. */
function asHeard(turn: TimedTurn, chunk: TimedChunk, sampleRate: number, zeroMs: number): Shift | null {
  const { heardFromMs } = chunk;
  if (heardFromMs === null) return null;
  const endMs = turn.heardToMs ?? Number.POSITIVE_INFINITY;
  return (ms) => {
    const sample = chunk.startSample + (ms / 1000) * sampleRate;
    const silentMs = turn.underruns
      .filter(({ atSample }) => atSample > chunk.startSample && atSample <= sample)
      .reduce((sum, { lengthMs }) => sum + (lengthMs ?? 0), 0);
    const atMs = heardFromMs + ms + silentMs;
    return atMs < endMs ? atMs - zeroMs : null;
  };
}

function wordsOf(turn: number, chunk: TimedChunk, shift: Shift): TimedWord[] {
  const words = chunk.words ?? [];
  const texts = writtenWords(chunk.text, words);
  return words.flatMap((word, i) => {
    const startMs = shift(word.startMs);
    if (startMs === null) return [];
    const endMs = shift(word.endMs) ?? startMs + (word.endMs - word.startMs);
    return [{ ...word, ...(texts[i] ?? { text: word.word }), startMs, endMs, turn, chunk: chunk.id }];
  });
}

type Written = Pick<CaptionWord, 'text' | 'joined'>;

/**
 * Words as the text has them: with the punctuation around each, and whether a space stands before it. The bare words
 * where the offsets do not fit the text.
 */
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
    // What follows without a space belongs to this word, what leads up to the next without one to that.
    const lastSpace = between.search(/\s\S*$/);
    const own = lastSpace < 0 || i === words.length - 1 ? between : between.slice(0, lastSpace);
    const written: Written = { text: (before + word + own).trimEnd(), ...(joined ? { joined } : {}) };
    joined = lastSpace < 0;
    before = lastSpace < 0 ? '' : between.slice(lastSpace + 1);
    return written;
  });
}
