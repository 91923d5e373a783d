import type { Mark } from '../views.ts';

type MarkDetails = Partial<Pick<Mark, 'context' | 'turn' | 'amount'>> & Pick<Mark, 'frame'>;

/** What happened and has not been reported yet. */
export class Marks {
  readonly #changed: () => void;
  #fresh: Mark[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(
    kind: Mark['kind'],
    atMs: number,
    { context = null, turn = null, amount = 0, frame }: MarkDetails = {},
  ): void {
    this.#fresh.push({ kind, atMs, context, turn, amount, ...(frame === undefined ? {} : { frame }) });
    this.#changed();
  }

  /** Those since the last call. */
  take(): readonly Mark[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
