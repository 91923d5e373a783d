import type { EspeakModule } from '@echogarden/espeak-ng-emscripten';

const EMPTY = Buffer.alloc(64 * 1024);

/** The memory behind the last byte that is not zero is left out, because espeak reads nothing that it has not written. */
function usedMemory({ HEAPU8: { buffer, length } }: EspeakModule): Uint8Array {
  let end = length;
  while (end > EMPTY.length && EMPTY.equals(Buffer.from(buffer, end - EMPTY.length, EMPTY.length)))
    end -= EMPTY.length;
  return new Uint8Array(buffer.slice(0, end));
}

/**
 * The memory of an espeak that has just started. espeak goes on with the phases and the noise of its last text, by which
 * the same text would sound otherwise, and last some 15 ms more or less.
 */
export class EspeakMemory {
  readonly #module: EspeakModule;
  readonly #fresh: Uint8Array;

  constructor(espeakModule: EspeakModule) {
    this.#module = espeakModule;
    this.#fresh = usedMemory(espeakModule);
  }

  /** Makes espeak forget all that it has spoken, its voice included. */
  reset(): void {
    this.#module.HEAPU8.set(this.#fresh);
  }

  /**
   * Returns the place of a text, which ends with the next reset. For a string, the methods of the package take memory that
   * they keep, and that a reset would free.
   */
  place(text: string): number {
    const bytes = Buffer.from(`${text}\0`);
    const place = this.#module._malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, place);
    return place;
  }
}
