/** Callbacks that run after a change, in the order of their subscription. */
export class Listeners<Args extends unknown[] = []> {
  readonly #all = new Set<(...args: Args) => void>();

  get size(): number {
    return this.#all.size;
  }

  /** Returns the function that ends the subscription. */
  readonly add = (listener: (...args: Args) => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  call(...args: Args): void {
    for (const listener of this.#all) listener(...args);
  }
}
