import { bisect } from '#lib/collections/bisect.ts';

const FIRST_CAPACITY = 1024;

/** A growing list of 32-bit numbers. */
export class GrowingNumbers {
  #values = new Uint32Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const wider = new Uint32Array(this.#length * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(place: number): number {
    const value = place < this.#length ? this.#values[place] : undefined;
    if (value === undefined) throw new RangeError(`There is nothing at ${place} of ${this.#length}.`);
    return value;
  }

  set(place: number, value: number): void {
    if (place >= this.#length) throw new RangeError(`There is nothing at ${place} of ${this.#length}.`);
    this.#values[place] = value;
  }

  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** Returns the last place with a value not above this one, in ascending values; -1 for none. */
  lastNotAbove(value: number): number {
    return bisect(0, this.#length, (at) => (this.#values[at] ?? 0) <= value) - 1;
  }

  slice(from = 0, to = this.#length): Uint32Array<ArrayBuffer> {
    return this.#values.slice(from, Math.min(to, this.#length));
  }
}
