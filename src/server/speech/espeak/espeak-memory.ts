import type { EspeakModule } from '@echogarden/espeak-ng-emscripten';

const EMPTY = Buffer.alloc(64 * 1024);

/** Returns the memory without its empty end, where espeak reads nothing that it has not written. */
function usedMemory({ HEAPU8: { buffer, length } }: EspeakModule): Uint8Array {
  let end = length;
  while (end > EMPTY.length && EMPTY.equals(Buffer.from(buffer, end - EMPTY.length, EMPTY.length)))
    end -= EMPTY.length;
  return new Uint8Array(buffer.slice(0, end));
}

/**
 * The memory of an espeak that has just started. Without a reset, espeak keeps the phases and the noise of its last text.
 * The same text then has other samples, and is some 15 ms longer or shorter.
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
   * Returns the address of a text, which is valid until the next reset. The methods of the package would copy a string to
   * memory that they keep, and that a reset frees.
   */
  place(text: string): number {
    const bytes = Buffer.from(`${text}\0`);
    const place = this.#module._malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, place);
    return place;
  }
}
