/** As many kinds and contexts as a recording has connections, which is far more than any real one has. */
export const MAX_NAMES = 100_000;
/** Of those that differ, in all. */
const MAX_CHARS = 16 * 2 ** 20;

/** Kinds and contexts of a file: whoever opens it has all of them in memory, and in lists to choose from. */
export class NameLimit {
  readonly #most: number;
  readonly #names = new Set<string>();
  #chars = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes the names of an entry. Returns what was expected where these are too many, else null. */
  take({ kind, context }: { kind: string; context: string | null }): string | null {
    this.#add(kind);
    if (context !== null) this.#add(context);
    if (this.#names.size > this.#most) return `at most ${this.#most} different kinds and contexts`;
    return this.#chars > MAX_CHARS ? `at most ${MAX_CHARS} characters of kinds and contexts` : null;
  }

  #add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#chars += name.length;
  }
}
