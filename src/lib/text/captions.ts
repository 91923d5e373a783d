import { largest } from '../collections/arrays.ts';
import { replaceHalves } from './halves.ts';
import { CLAUSE_MARKS, SENTENCE_MARKS } from './punctuation.ts';

/** Captions of timed words as SubRip (SRT) and WebVTT. Times are in ms from the caller's zero. */

export interface CaptionWord {
  /** With its punctuation. */
  text: string;
  startMs: number;
  endMs: number;
  /** No space before it, as in languages without spaces. */
  joined?: boolean;
}

export interface Caption {
  /** Whole ms. Captions do not overlap, and each lasts at least 1 ms. */
  startMs: number;
  endMs: number;
  /** One or two. */
  lines: readonly string[];
}

/** Limits that subtitlers agree on: two lines of 42 characters, seven seconds. */
const MAX_LINE_CHARS = 42;
const MAX_CAPTION_MS = 7000;
/** Silence that ends a caption. */
const PAUSE_MS = 1000;
/** Least duration of a caption, unless the next one begins earlier. */
const MIN_CAPTION_MS = 1000;
/** A shorter sentence shares its caption with the next one. */
const MIN_SENTENCE_CHARS = 12;
/** Excess length of a line that is accepted for a break at the end of a clause. */
const CLAUSE_WORTH_CHARS = 12;

const CLOSERS = `["'”’»)\\]」』）]*`;
const SENTENCE_END = new RegExp(`[${SENTENCE_MARKS}]${CLOSERS}$`, 'u');
const CLAUSE_END = new RegExp(`[${SENTENCE_MARKS}${CLAUSE_MARKS}–—]${CLOSERS}$`, 'u');

/** Returns captions with every word once, in order. A word longer than a line gets its own. */
export function captionsOf(words: readonly CaptionWord[]): Caption[] {
  const captions: Caption[] = [];
  let endMs = 0;
  for (const group of groupsOf(words.map(readable).filter(({ text }) => text !== ''))) {
    const [first] = group;
    if (!first) continue;
    const startMs = Math.max(endMs, wholeMs(first.startMs));
    endMs = largest(
      group.map((word) => wholeMs(word.endMs)),
      startMs + 1,
    );
    captions.push({ startMs, endMs, lines: linesOf(group) });
  }
  return captions.map((caption, i) => {
    const roomToMs = captions[i + 1]?.startMs ?? Number.POSITIVE_INFINITY;
    const wantedMs = Math.max(caption.endMs, caption.startMs + MIN_CAPTION_MS);
    return { ...caption, endMs: Math.min(wantedMs, Math.max(roomToMs, caption.endMs)) };
  });
}

export const toSrt = (captions: readonly Caption[]): string =>
  captions
    .map(
      ({ startMs, endMs, lines }, i) =>
        `${i + 1}\n${timeText(startMs, ',')} --> ${timeText(endMs, ',')}\n${lines.map(withoutArrow).join('\n')}\n`,
    )
    .join('\n');

/** @param note for readers of the file, on one line without an arrow */
export const toVtt = (captions: readonly Caption[], note?: string): string =>
  [
    'WEBVTT\n',
    ...(note === undefined ? [] : [`NOTE ${note}\n`]),
    ...captions.map(
      ({ startMs, endMs, lines }) =>
        `${timeText(startMs, '.')} --> ${timeText(endMs, '.')}\n${lines.map(escaped).join('\n')}\n`,
    ),
  ].join('\n');

/** Removes control characters and line ends, which break the format, and lone surrogates, which break the file. */
function readable(word: CaptionWord): CaptionWord {
  const text = replaceHalves(word.text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')).trim();
  return { ...word, text };
}

function groupsOf(words: readonly CaptionWord[]): CaptionWord[][] {
  const groups: CaptionWord[][] = [];
  let group: CaptionWord[] = [];
  for (const word of words) {
    const last = group.at(-1);
    if (last && (word.startMs - last.endMs >= PAUSE_MS || isSentence(group))) {
      groups.push(group);
      group = [];
    } else if (last && !fits([...group, word])) {
      const at = clauseBreak(group);
      groups.push(group.slice(0, at));
      group = group.slice(at);
      // The rest behind the clause may still leave no room for the word.
      if (group.length > 0 && !fits([...group, word])) {
        groups.push(group);
        group = [];
      }
    }
    group.push(word);
  }
  return group.length > 0 ? [...groups, group] : groups;
}

function fits(group: readonly CaptionWord[]): boolean {
  const [first] = group;
  const last = group.at(-1);
  if (first && last && last.endMs - first.startMs > MAX_CAPTION_MS) return false;
  return linesOf(group).every((line) => line.length <= MAX_LINE_CHARS);
}

const isSentence = (group: readonly CaptionWord[]): boolean =>
  SENTENCE_END.test(group.at(-1)?.text ?? '') && joinedText(group).length >= MIN_SENTENCE_CHARS;

/** Returns the index behind the last clause that ends in the second half, or behind the last word. */
function clauseBreak(group: readonly CaptionWord[]): number {
  const at = group.findLastIndex(({ text }) => CLAUSE_END.test(text)) + 1;
  return at * 2 >= group.length && at > 0 ? at : group.length;
}

/** Returns one line if it is short enough, else two of about equal length, broken after a clause if possible. */
function linesOf(group: readonly CaptionWord[]): string[] {
  const whole = joinedText(group);
  if (whole.length <= MAX_LINE_CHARS || group.length === 1) return [whole];
  let best: { lines: string[]; cost: number } | null = null;
  for (let at = 1; at < group.length; at += 1) {
    const lines = [joinedText(group.slice(0, at)), joinedText(group.slice(at))];
    const longest = largest(lines.map((line) => line.length));
    const isClause = CLAUSE_END.test(group[at - 1]?.text ?? '');
    const excess = Math.max(0, longest - MAX_LINE_CHARS) * MAX_LINE_CHARS;
    const cost = longest + excess - (isClause ? CLAUSE_WORTH_CHARS : 0);
    if (!best || cost < best.cost) best = { lines, cost };
  }
  return best?.lines ?? [whole];
}

const joinedText = (group: readonly CaptionWord[]): string =>
  group.reduce((text, word) => (text === '' || word.joined ? text + word.text : `${text} ${word.text}`), '');

const wholeMs = (ms: number): number => Math.max(0, Math.round(ms));

/** Formats hours, minutes, seconds and ms; hours may have more than two digits. */
function timeText(ms: number, point: ',' | '.'): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/** Shortens arrows, which separate times and cannot be escaped in SubRip. */
const withoutArrow = (line: string): string => line.replace(/(?<!-)-{2,}>/g, '->');

const escaped = (line: string): string =>
  line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
