import { lastNotAbove } from '#lib/collections/bisect.ts';

/** The hits of a search so far, as indexes of entries in ascending order. Kept outside of React state. */
export class SearchHits {
  #hits: number[] = [];

  get length(): number {
    return this.#hits.length;
  }

  clear(): void {
    this.#hits = [];
  }

  /** @param indexes ascending, and above all earlier ones */
  add(indexes: Uint32Array): void {
    for (const index of indexes) this.#hits.push(index);
  }

  has(index: number): boolean {
    const place = lastNotAbove(this.#hits, index);
    return place >= 0 && this.#hits[place] === index;
  }

  /** Returns at most `count` hits from an entry on, nearest first, wrapping around. @param step −1: backwards */
  around(index: number, step: 1 | -1, count: number): number[] {
    if (step === 1) {
      const from = lastNotAbove(this.#hits, index) + 1;
      return [...this.#hits.slice(from, from + count), ...this.#hits.slice(0, from)].slice(0, count);
    }
    const to = lastNotAbove(this.#hits, index - 1) + 1;
    return [...this.#hits.slice(0, to).slice(-count).reverse(), ...this.#hits.slice(to).reverse()].slice(
      0,
      count,
    );
  }

  /** Returns the place of a hit among all, counted from 1; null for no hit. */
  placeOf(index: number): number | null {
    return this.has(index) ? lastNotAbove(this.#hits, index) + 1 : null;
  }

  /** Returns one hit for each of `parts` equal parts of a recording that has one, for marks on a scroll bar. */
  sample(entries: number, parts: number): number[] {
    const sample: number[] = [];
    let next = 0;
    for (const hit of this.#hits) {
      if (hit < next) continue;
      sample.push(hit);
      const part = Math.floor((hit / entries) * parts);
      next = Math.ceil(((part + 1) * entries) / parts);
    }
    return sample;
  }
}
