/** Counts what is taken under each name, up to a limit each. */
export class Places {
  readonly limit: number;
  readonly #taken = new Map<string, number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  taken(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  /** Takes a place. @returns the function that frees it; null where none is left */
  take(name: string): (() => void) | null {
    if (this.taken(name) >= this.limit) return null;
    this.#taken.set(name, this.taken(name) + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const left = this.taken(name) - 1;
      if (left > 0) this.#taken.set(name, left);
      else this.#taken.delete(name);
    };
  }
}
