import { addAll } from '#lib/collections/arrays.ts';
import type { WrittenWord } from '#lib/text/words.ts';
import type { WordTiming } from '../engine.ts';

/** A word with less time than this gets the start of the next word instead of a zero length. */
const MIN_LEAD_MS = 30;

/**
 * Converts the engine's onsets and pauses into one timing for every written word. The engine may report a word several
 * times or not at all. Words without a report share the time up to the next reported one by their length. Reports must
 * be in order of time.
 * All times are ms from the start of the request's audio.
 */
export class WordClock {
  readonly #text: string;
  readonly #words: WrittenWord[];
  /** First word whose timing is not final. */
  #next = 0;
  /** Word that is being heard, or `#next - 1` when none is. */
  #current = -1;
  #groupStartMs = 0;
  /** End of the current word's sound; undefined while it continues. */
  #silentSinceMs: number | undefined;

  /** @param words the first ones */
  constructor(text: string, words: Iterable<WrittenWord> = []) {
    this.#text = text;
    this.#words = [...words];
  }

  /** Adds the words that follow, before any of them is reported. */
  add(words: readonly WrittenWord[]): void {
    addAll(this.#words, words);
  }

  begin(atMs: number): void {
    if (this.#current < this.#next) this.#groupStartMs = atMs;
  }

  /** Reports an onset at this offset of the text. Returns the words that became final. */
  sound(sourceOffset: number, atMs: number): WordTiming[] {
    const index = this.#wordAt(sourceOffset);
    if (index === undefined || index < this.#current) return [];
    if (index === this.#current) {
      this.#silentSinceMs = undefined;
      return [];
    }
    const heardBefore = this.#current >= this.#next;
    const enoughLead = atMs - this.#groupStartMs >= MIN_LEAD_MS * (index - this.#next);
    const settled = heardBefore || enoughLead ? this.#settle(index, atMs) : [];
    this.#current = index;
    this.#groupStartMs = atMs;
    this.#silentSinceMs = undefined;
    return settled;
  }

  /** Reports a pause, possibly inside a word. */
  pause(atMs: number): void {
    this.#silentSinceMs ??= atMs;
  }

  /** Reports a sound whose word is unknown: the pause before it is over. */
  unknownSound(): void {
    this.#silentSinceMs = undefined;
  }

  /** Ends a piece that reaches `sourceEnd`. Every word within it becomes final. */
  end(atMs: number, sourceEnd: number): WordTiming[] {
    let until = this.#next;
    while ((this.#words[until]?.end ?? Number.POSITIVE_INFINITY) <= sourceEnd) until += 1;
    if (until === this.#next) return [];
    const settled = this.#settle(until, atMs);
    this.#current = Math.max(this.#current, this.#next - 1);
    this.#groupStartMs = atMs;
    return settled;
  }

  /** Gives words `#next` to `until` (exclusive) their shares of the time since the group began. */
  #settle(until: number, atMs: number): WordTiming[] {
    const words = this.#words.slice(this.#next, until);
    const from = Math.floor(this.#groupStartMs);
    const to = Math.max(from, Math.floor(Math.min(atMs, this.#silentSinceMs ?? atMs)));
    const total = words.reduce((sum, word) => sum + word.end - word.start, 0);
    let spoken = 0;
    const timings = words.map((word) => {
      const startMs = from + Math.floor(((to - from) * spoken) / total);
      spoken += word.end - word.start;
      const endMs = from + Math.floor(((to - from) * spoken) / total);
      return {
        word: this.#text.slice(word.start, word.end),
        startMs,
        endMs,
        charStart: word.start,
        charEnd: word.end,
      };
    });
    this.#next = until;
    this.#silentSinceMs = undefined;
    return timings;
  }

  #wordAt(offset: number): number | undefined {
    // Reports follow the text, so the word is near. Earlier positions are ignored.
    for (let i = Math.max(this.#next, this.#current, 0); i < this.#words.length; i += 1) {
      const word = this.#words[i];
      if (word === undefined || word.start > offset) return undefined;
      if (offset < word.end) return i;
    }
    return undefined;
  }
}
