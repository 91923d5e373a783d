import { GrowingNumbers } from '#recordings/store/growing.ts';

/** The hits of a search so far, as indexes of entries in ascending order. Kept outside of React state. */
export class SearchHits {
  #hits = new GrowingNumbers();

  get length(): number {
    return this.#hits.length;
  }

  clear(): void {
    this.#hits = new GrowingNumbers();
  }

  /** @param indexes ascending, and above all earlier ones */
  add(indexes: Uint32Array): void {
    for (const index of indexes) this.#hits.push(index);
  }

  has(index: number): boolean {
    const place = this.#hits.lastNotAbove(index);
    return place >= 0 && this.#hits.at(place) === index;
  }

  /** Returns at most `count` hits from an entry on, nearest first, wrapping around. @param step −1: backwards */
  around(index: number, step: 1 | -1, count: number): number[] {
    const { length } = this.#hits;
    const before = this.#hits.lastNotAbove(step === 1 ? index : index - 1);
    const from = step === 1 ? before + 1 : before;
    return Array.from({ length: Math.min(count, length) }, (_, i) =>
      this.#hits.at((((from + i * step) % length) + length) % length),
    );
  }

  /** Returns the place of a hit among all, counted from 1; null for no hit. */
  placeOf(index: number): number | null {
    return this.has(index) ? this.#hits.lastNotAbove(index) + 1 : null;
  }

  /** Returns one hit for each of `parts` equal parts of a recording that has one, for marks on a scroll bar. */
  sample(entries: number, parts: number): number[] {
    const sample: number[] = [];
    let place = 0;
    while (place < this.#hits.length) {
      const hit = this.#hits.at(place);
      sample.push(hit);
      const part = Math.floor((hit / entries) * parts);
      // The first hit behind this part.
      const next = Math.ceil(((part + 1) * entries) / parts) - 1;
      place = Math.max(place, this.#hits.lastNotAbove(next)) + 1;
    }
    return sample;
  }
}
