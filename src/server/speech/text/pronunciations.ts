import { largest } from '#lib/collections/arrays.ts';
import { isLowSurrogate } from '#lib/text/halves.ts';
import { isUnspaced, type WrittenWord } from '#lib/text/words.ts';
import type { Pronunciation } from '../engine.ts';
import { PLAIN_QUOTES, plainUnitAt } from './plain-form.ts';

/** A word of the text with the entry that is spoken instead. */
export interface Replacement extends WrittenWord {
  readonly entry: Pronunciation;
}

/** Finds all words of a dictionary in a text, also those that overlap. */
export type FindReplacements = (text: string) => readonly Replacement[];

/** A word of 200 characters with marks and blanks. A longer stretch of the text is none, however its blanks count. */
export const MAX_MATCH_UNITS = 500;

const WORD_UNIT = /[\p{L}\p{N}\p{M}_]/u;
const SPACE = /^\s$/;

/** A text as entries are compared: plain forms and quotes, one blank for any white space. */
interface Comparable {
  readonly exact: string;
  /** Without case, as long as `exact`. */
  readonly folded: string;
  /** Offset in the original for each unit, and its end. */
  readonly sourceAt: readonly number[];
}

function toComparable(text: string): Comparable {
  let exact = '';
  let folded = '';
  let last = '';
  const sourceAt: number[] = [];
  for (let at = 0; at < text.length; ) {
    const { plain, end } = plainUnitAt(text, at);
    const unit = SPACE.test(plain) ? ' ' : (PLAIN_QUOTES.get(plain) ?? plain);
    if (unit !== ' ' || last !== ' ') {
      const lower = unit.toLowerCase();
      exact += unit;
      folded += lower.length === unit.length ? lower : unit;
      for (let i = 0; i < unit.length; i += 1) sourceAt.push(at);
      last = unit;
    }
    at = end;
  }
  sourceAt.push(text.length);
  return { exact, folded, sourceAt };
}

const unitAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0);
// The second half of a surrogate pair begins one unit earlier.
const unitBefore = (text: string, at: number) =>
  unitAt(text, at - (isLowSurrogate(text.charCodeAt(at - 1)) ? 2 : 1));

/** Whether an entry may border on a place in the text. Scripts without word borders have none to keep. */
const isBorder = (inner: string, outer: string): boolean =>
  isUnspaced(inner) || !WORD_UNIT.test(inner) || !WORD_UNIT.test(outer);
const canStart = (text: string, at: number): boolean =>
  at === 0 || isBorder(unitAt(text, at), unitBefore(text, at));
const canEnd = (text: string, at: number): boolean =>
  at >= text.length || isBorder(unitBefore(text, at), unitAt(text, at));

/** Hashes of all beginnings of a text, from which that of any piece follows in one step. A piece has at most so many units. */
class PieceHashes {
  readonly #beginnings: Int32Array;
  readonly #powers: Int32Array;

  constructor(text: string, most: number) {
    this.#beginnings = new Int32Array(text.length + 1);
    this.#powers = new Int32Array(most + 1).fill(1);
    for (let at = 0; at < text.length; at += 1)
      this.#beginnings[at + 1] = Math.imul(this.#beginnings[at] ?? 0, HASH_BASE) + text.charCodeAt(at);
    for (let at = 0; at < most; at += 1) this.#powers[at + 1] = Math.imul(this.#powers[at] ?? 0, HASH_BASE);
  }

  of(start: number, end: number): number {
    const before = Math.imul(this.#beginnings[start] ?? 0, this.#powers[end - start] ?? 0);
    return ((this.#beginnings[end] ?? 0) - before) & SMALL_INTEGER;
  }
}
/** Sets find small integers faster than others. */
const SMALL_INTEGER = 0x3fffffff;
/** Odd, as that of FNV. */
const HASH_BASE = 0x01000193;

const hashOf = (word: string): number => new PieceHashes(word, word.length).of(0, word.length);

const compiled = new WeakMap<readonly Pronunciation[], FindReplacements>();

/**
 * Returns a finder for the dictionary's entries, the longest of each place. Of two entries that differ in case alone, the
 * case-sensitive one wins. A replacement is not searched again.
 *
 * Entries are looked up by their lengths, because an expression of thousands of words is too large to compile. Hashes leave out
 * almost all lengths, because a dictionary may have hundreds of them that begin alike.
 */
export function compilePronunciations(entries: readonly Pronunciation[]): FindReplacements {
  const known = compiled.get(entries) ?? compile(entries);
  compiled.set(entries, known);
  return known;
}

function compile(entries: readonly Pronunciation[]): FindReplacements {
  const exact = new Map<string, Pronunciation>();
  const folded = new Map<string, Pronunciation>();
  /** Of the words that begin with a unit in lower case. */
  const lengthSets = new Map<string, Set<number>>();
  for (const entry of entries) {
    const word = toComparable(entry.word.trim());
    if (word.exact === '') continue;
    if (entry.caseSensitive) exact.set(word.exact, entry);
    else folded.set(word.folded, entry);
    const first = word.folded.charAt(0);
    lengthSets.set(first, (lengthSets.get(first) ?? new Set()).add(word.exact.length));
  }
  const exactHashes = new Set([...exact.keys()].map(hashOf));
  const foldedHashes = new Set([...folded.keys()].map(hashOf));
  const most = largest(
    [...lengthSets.values()].flatMap((set) => [...set]),
    0,
  );
  const longestFirst = new Map(
    [...lengthSets].map(([first, set]) => [first, [...set].sort((a, b) => b - a)]),
  );
  return (text) => {
    if (longestFirst.size === 0) return [];
    const comparable = toComparable(text);
    const { sourceAt } = comparable;
    const inExact = new PieceHashes(comparable.exact, most);
    const inFolded = new PieceHashes(comparable.folded, most);
    const found: Replacement[] = [];
    for (let start = 0; start < comparable.exact.length; start += 1) {
      const lengths = longestFirst.get(comparable.folded.charAt(start));
      if (!lengths || !canStart(comparable.exact, start)) continue;
      for (const length of lengths) {
        const end = start + length;
        if (end > comparable.exact.length) continue;
        if (!exactHashes.has(inExact.of(start, end)) && !foldedHashes.has(inFolded.of(start, end))) continue;
        const entry =
          exact.get(comparable.exact.slice(start, end)) ?? folded.get(comparable.folded.slice(start, end));
        if (entry === undefined || !canEnd(comparable.exact, end)) continue;
        const word = { start: sourceAt[start] ?? 0, end: sourceAt[end] ?? text.length, entry };
        if (word.end - word.start > MAX_MATCH_UNITS) continue;
        found.push(word);
        break;
      }
    }
    return found;
  };
}
