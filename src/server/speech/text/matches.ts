import type { WrittenWord } from '#lib/text/words.ts';
import type { IpaWord } from './ipa.ts';
import { MAX_MATCH_UNITS, type Replacement } from './pronunciations.ts';

/** A word whose sound is given: in the text, or by a dictionary. */
export type Match = IpaWord | Replacement;

/** The character behind a match decides on it, with its marks. */
const UNITS_BEHIND = 20;

/** The matches in a part of a text, which is searched some way ahead, so that no search takes long. */
export class Matches {
  readonly #text: string;
  readonly #end: number;
  readonly #find: (text: string) => readonly Match[];
  readonly #units: number;
  #found: readonly Match[] = [];
  #next = 0;
  #searchedTo: number;

  /**
   * @param find returns all matches in order, also those that overlap
   * @param units searched at once, which decides on no match
   */
  constructor(text: string, part: WrittenWord, find: (text: string) => readonly Match[], units: number) {
    this.#text = text;
    this.#end = part.end;
    this.#searchedTo = part.start;
    this.#find = find;
    this.#units = units;
  }

  /** The match that begins at a place, which is at or behind the last one. @param before where the character before begins */
  at(at: number, before: number): Match | undefined {
    if (at >= this.#searchedTo) this.#search(at, before);
    while ((this.#found[this.#next]?.start ?? at) < at) this.#next += 1;
    const match = this.#found[this.#next];
    if (match?.start !== at) return undefined;
    this.#next += 1;
    return match;
  }

  #search(at: number, before: number): void {
    this.#searchedTo = at + this.#units;
    const to = Math.min(this.#end, this.#searchedTo + MAX_MATCH_UNITS + UNITS_BEHIND);
    this.#found = this.#find(this.#text.slice(before, to))
      .map((match) => ({ ...match, start: match.start + before, end: match.end + before }))
      // Later ones may go on behind what was searched.
      .filter(({ start }) => start < this.#searchedTo);
    this.#next = 0;
  }
}
