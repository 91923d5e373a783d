import { counted } from '#lib/format.ts';
import type { ImportError } from '#trace/files/import-error.ts';
import { type ValueFault, wrongAt } from '#trace/files/json.ts';

/** Faults whose places are looked up in the text, which takes a pass over it. */
const MAX_NAMED = 3;

/** The damaged parts of a file of another program. They are left out and named, and the rest is read. */
export class HarDamage {
  readonly #named: { fault: ValueFault; consequence: string }[] = [];
  #count = 0;

  /** @param consequence a sentence, such as "The message is left out." */
  add(fault: ValueFault, consequence: string): void {
    this.#count += 1;
    if (this.#named.length < MAX_NAMED) this.#named.push({ fault, consequence });
  }

  /** Returns sentences for people. */
  words(text: string): string[] {
    const more = this.#count - this.#named.length;
    return [
      ...this.#named.map(({ fault, consequence }) => `${errorOf(text, fault).message} ${consequence}`),
      ...(more > 0
        ? [`${counted(more, 'further part')} of the file ${more === 1 ? 'is' : 'are'} damaged.`]
        : []),
    ];
  }

  /** Returns the first fault as the reason to refuse a file in which nothing else is left; null for none. */
  refusal(text: string): ImportError | null {
    const [first] = this.#named;
    return first ? errorOf(text, first.fault) : null;
  }
}

const errorOf = (text: string, { path, expected, found }: ValueFault): ImportError =>
  wrongAt(text, path, expected, found);
