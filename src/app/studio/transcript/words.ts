import { bisect } from '#lib/collections/bisect.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { keepSame } from '#lib/deep-equal.ts';
import { markedWords } from '#lib/text/words.ts';
import type { ChunkView, TurnView } from '#session/views.ts';

/** One word as written, with its place in the turn's audio. */
export interface TranscriptWord {
  kind: 'word';
  text: string;
  index: number;
  /** Characters of the shown text before it. */
  offset: number;
  /** First sample of the word in the turn's audio; infinite while no chunk with audio has it or text behind it. */
  startSample: number;
  /** End of the word, exclusive. Equal to the start where the chunk has no timings: spoken as soon as that is heard. */
  endSample: number;
  /** The last word of a chunk that may turn out longer than its estimated times say. It is lit until the next one. */
  mayGoOn: boolean;
}

interface TranscriptGap {
  kind: 'gap';
  text: string;
  /** Index of the next word. */
  before: number;
  /** A long gap has several pieces. */
  piece: number;
}

type Segment = TranscriptWord | TranscriptGap;

/** The text of one chunk, or (`chunk` null) text that is in no chunk yet. */
export interface TranscriptPart {
  order: number;
  chunk: number | null;
  /** Words have times of their own. Otherwise all count as spoken once their chunk is heard. */
  timed: boolean;
  startSample: number;
  segments: readonly Segment[];
}

export type WordState = 'pending' | 'current' | 'spoken';

/** A word stays lit for this long into the pause after it, so that lights do not flicker between words. */
const HOLD_MS = 250;

/** Longer words and gaps are divided, so that no element of the transcript is large. */
const MAX_WORD_CHARS = 200;
const MAX_GAP_CHARS = 1000;

/** Characters that a layout compares at most to find chunks behind text that the server left out. */
const SEARCH_CHARS = 500_000;

type PartInput = Pick<
  ChunkView,
  'id' | 'text' | 'words' | 'wordSource' | 'startSample' | 'samples' | 'completedMs'
>;

/**
 * Returns the layout of a turn: its text as written, split into chunks and words.
 *
 * Chunk texts are found in the turn's text in order and without regard to white space, because servers trim and join;
 * the layout shows the turn's text. A chunk whose text is not found, because the server rewrote it, is shown as the
 * server sent it, in place of as much text. A chunk without text covers the rest of the text.
 */
export function partsOf(
  turn: Pick<TurnView, 'text' | 'sampleRate'> & { chunks: readonly PartInput[] },
): TranscriptPart[] {
  const parts: TranscriptPart[] = [];
  const samplesPerMs = (turn.sampleRate ?? 0) / 1000;
  const search = { charsLeft: SEARCH_CHARS };
  let at = 0;
  let index = 0;
  let shownChars = 0;
  const starts = startsOf(turn.chunks);

  /** @param place of the chunk, or of the chunk behind text that no chunk has */
  const push = (place: number, chunk: PartInput | null, text: string, marks: readonly Mark[] | null) => {
    const timed = chunk !== null && chunk.samples > 0 && marks !== null;
    const startSample = starts[place] ?? Number.POSITIVE_INFINITY;
    const nextSample = starts[place + 1] ?? Number.POSITIVE_INFINITY;
    const sampleAt = (ms: number) =>
      timed ? Math.min(nextSample, startSample + Math.round(ms * samplesPerMs)) : startSample;
    const segments: Segment[] = [];
    const isOpen = timed && chunk.wordSource !== 'server' && chunk.completedMs === null;
    let end = 0;
    const gap = (to: number) => {
      for (let piece = 0; end < to; piece += 1) {
        const next = Math.min(to, end + MAX_GAP_CHARS);
        segments.push({ kind: 'gap', text: text.slice(end, next), before: index, piece });
        end = next;
      }
    };
    let last: TranscriptWord | null = null;
    for (const mark of marks ?? plainWords(text)) {
      // Offsets that overlap or run backwards would show text twice.
      if (mark.from < end || mark.to > text.length || mark.to <= mark.from) continue;
      gap(mark.from);
      // The rest of a word that no one speaks is a gap.
      end = Math.min(mark.to, mark.from + MAX_WORD_CHARS);
      last = {
        kind: 'word',
        text: text.slice(mark.from, end),
        index,
        offset: shownChars + mark.from,
        startSample: sampleAt(mark.startMs),
        endSample: sampleAt(mark.endMs),
        mayGoOn: false,
      };
      segments.push(last);
      index += 1;
    }
    if (last) last.mayGoOn = isOpen;
    gap(text.length);
    shownChars += text.length;
    parts.push({ order: parts.length, chunk: chunk?.id ?? null, timed, startSample, segments });
  };

  for (const [place, chunk] of turn.chunks.entries()) {
    if (chunk.text === null) {
      if (at < turn.text.length) push(place, chunk, turn.text.slice(at), null);
      at = turn.text.length;
      continue;
    }
    // A server may send thousands of chunks without text.
    if (chunk.text === '') continue;
    const found = find(turn.text, at, chunk.text, search);
    if (found) {
      if (found.from > at) push(place, null, turn.text.slice(at, found.from), null);
      const marks = marksOf(chunk, (offset) => (found.offsets[offset] ?? found.to) - found.from);
      push(place, chunk, turn.text.slice(found.from, found.to), marks);
      at = found.to;
    } else {
      if (parts.length > 0) push(place, null, ' ', null);
      const marks = marksOf(chunk, (offset) => offset);
      push(place, chunk, chunk.text, marks);
      at = skipAsMuch(turn.text, at, chunk.text);
    }
  }
  if (at < turn.text.length) push(turn.chunks.length, null, turn.text.slice(at), null);
  return parts;
}

/**
 * Returns the start of each chunk, ascending: a chunk without audio begins with the next one that has some, and at
 * infinity where none follows.
 */
function startsOf(chunks: readonly PartInput[]): number[] {
  let next = Number.POSITIVE_INFINITY;
  const backwards = chunks.toReversed().map(({ samples, startSample }) => {
    if (samples > 0) next = Math.min(next, startSample);
    return next;
  });
  return backwards.reverse();
}

/** Returns the newer layout with unchanged parts of the older one, so that React renders only new parts. */
export const keepParts = (
  older: readonly TranscriptPart[],
  newer: readonly TranscriptPart[],
): TranscriptPart[] => newer.map((part, at) => keepSame(part, older[at]));

/** Returns all words of a turn, in order. */
export const wordsOf = (parts: readonly TranscriptPart[]): TranscriptWord[] =>
  parts.flatMap(({ segments }) => segments.filter((segment) => segment.kind === 'word'));

/** Returns the word at or before an offset of a turn's text; null where the transcript has another text. */
export function wordAt(turn: Parameters<typeof partsOf>[0], offset: number): TranscriptWord | null {
  const parts = partsOf(turn);
  const shown = parts.flatMap(({ segments }) => segments.map(({ text }) => text)).join('');
  return shown === turn.text ? (wordsOf(parts).findLast((word) => word.offset <= offset) ?? null) : null;
}

/** All words before `spoken` are spoken, `current` is the one being spoken, all others are pending. */
export interface WordPosition {
  readonly spoken: number;
  /** Null in a pause and in text without timings. */
  readonly current: number | null;
}

/** Returns the position of the playhead among the words of a turn. */
export function positionAt(
  words: readonly TranscriptWord[],
  sample: number,
  sampleRate: number,
): WordPosition {
  const startOf = (at: number): number => words[at]?.startSample ?? Number.POSITIVE_INFINITY;
  const begun = bisect(0, words.length, (at) => startOf(at) <= sample);
  const last = words[begun - 1];
  if (!last || last.endSample <= last.startSample) return { spoken: begun, current: null };
  const held = last.endSample + (HOLD_MS * sampleRate) / 1000;
  return last.mayGoOn || sample < held
    ? { spoken: begun - 1, current: begun - 1 }
    : { spoken: begun, current: null };
}

/** Returns the state of a word at a position. */
export function stateOf(index: number, position: WordPosition): WordState {
  if (index === position.current) return 'current';
  return index < position.spoken ? 'spoken' : 'pending';
}

/** Returns a key that changes if and only if the result of `partsOf` does. Cheap enough for every frame. */
export const layoutKey = (turn: Pick<TurnView, 'text' | 'sampleRate' | 'chunks'>): string =>
  `${turn.text.length}|${turn.sampleRate}|${turn.chunks.map(chunkKey).join(',')}`;

const chunkKeys = new WeakMap<ChunkView, string>();

const chunkKey = (chunk: ChunkView): string =>
  madeOnce(chunkKeys, chunk, () => {
    // Two timings of one kind differ in these. Measured words move between the others.
    const words = chunk.words
      ? `${chunk.wordSource !== 'server'}.${chunk.words.length}.${chunk.words.reduce((sum, { endMs }) => sum + endMs, 0)}`
      : '-';
    const isOpen = chunk.wordSource !== 'server' && chunk.completedMs === null;
    return `${chunk.id}:${chunk.startSample}:${chunk.text?.length}:${words}:${isOpen}:${chunk.samples > 0}`;
  });

interface Mark {
  from: number;
  to: number;
  startMs: number;
  endMs: number;
}

function marksOf(chunk: PartInput, toText: (offset: number) => number): Mark[] | null {
  if (!chunk.words || chunk.words.length === 0) return null;
  return chunk.words.map((word) => ({
    from: toText(word.charStart),
    // The end belongs to the last character of the word, not to the white space that may follow it.
    to: toText(Math.max(word.charStart, word.charEnd - 1)) + (word.charEnd > word.charStart ? 1 : 0),
    startMs: word.startMs,
    endMs: Math.max(word.endMs, word.startMs + 1),
  }));
}

/** Whole characters that an element may hold. */
const PART = new RegExp(`.{1,${MAX_WORD_CHARS}}`, 'gsu');

/** Words of text that has no timings, with their marks. Longer ones than an element may hold are divided. */
function* plainWords(text: string): Generator<Mark> {
  for (const { start, end } of markedWords(text)) {
    for (const { 0: part, index } of text.slice(start, end).matchAll(PART))
      yield { from: start + index, to: start + index + part.length, startMs: 0, endMs: 0 };
  }
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  // A test by expression costs ten times as much, and a layout makes one for each character.
  return code <= 0x20 || (code >= 0x80 && /\s/u.test(text.charAt(at)));
}

interface Search {
  charsLeft: number;
}

/** Finds the needle at `at`, or later where the server left text out; null where the text does not contain it. */
function find(text: string, at: number, needle: string, search: Search): ReturnType<typeof align> {
  const here = align(text, at, needle);
  const start = needle.trim().charAt(0);
  if (here || start === '') return here;
  let from = text.indexOf(start, at + 1);
  while (from >= 0 && search.charsLeft > 0) {
    const found = isSpace(text, from - 1) ? align(text, from, needle, search) : null;
    if (found) return found;
    const next = text.indexOf(start, from + 1);
    search.charsLeft -= (next < 0 ? text.length : next) - from;
    from = next;
  }
  return null;
}

/** Finds `needle` in `text` from `at` on, without white space; `offsets` maps offsets of the needle to the text's. */
function align(
  text: string,
  at: number,
  needle: string,
  search?: Search,
): { from: number; to: number; offsets: readonly number[] } | null {
  const offsets: number[] = [];
  let here = at;
  let from: number | null = null;
  for (let i = 0; i < needle.length; i += 1) {
    if (search) search.charsLeft -= 1;
    if (isSpace(needle, i)) {
      offsets.push(here);
      continue;
    }
    while (here < text.length && isSpace(text, here)) here += 1;
    if (text.charAt(here) !== needle.charAt(i)) return null;
    from ??= here;
    offsets.push(here);
    here += 1;
  }
  return from === null ? null : { from, to: here, offsets };
}

/** Skips as many visible characters of the text as the replacement has, up to the end of a word. */
function skipAsMuch(text: string, at: number, replacement: string): number {
  let left = replacement.replaceAll(/\s/gu, '').length;
  let here = at;
  while (here < text.length && left > 0) {
    if (!isSpace(text, here)) left -= 1;
    here += 1;
  }
  while (here < text.length && !isSpace(text, here)) here += 1;
  return here;
}
