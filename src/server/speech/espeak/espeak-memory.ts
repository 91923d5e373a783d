import type { EspeakModule, EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { remember } from '#lib/collections/maps.ts';

const SUCCESS = 0;
/** Voices whose memory is kept: 1 MB each, and 10 for the dictionary of Russian. */
const MAX_VOICES = 6;

const EMPTY = Buffer.alloc(64 * 1024);

/** Returns where the empty end of the memory begins, in which espeak reads nothing that it has not written. */
function usedBytes({ HEAPU8: { buffer, length } }: EspeakModule): number {
  let end = length;
  while (end > EMPTY.length && EMPTY.equals(Buffer.from(buffer, end - EMPTY.length, EMPTY.length)))
    end -= EMPTY.length;
  return end;
}

const usedMemory = (espeakModule: EspeakModule): Uint8Array =>
  new Uint8Array(espeakModule.HEAPU8.buffer.slice(0, usedBytes(espeakModule)));

/**
 * The memory with which espeak begins each text. With that of its last text, espeak would go on with the phases and the noise
 * of that one. The same text would then have other samples, and be some 15 ms longer or shorter.
 */
export class EspeakMemory {
  readonly #module: EspeakModule;
  readonly #espeak: EspeakWorker;
  readonly #fresh: Uint8Array;
  /** With a voice, by its name. Least recently used first. Setting a voice takes up to 1.8 ms. */
  readonly #ofVoices = new Map<string, Uint8Array>();

  constructor(espeakModule: EspeakModule, espeak: EspeakWorker) {
    this.#module = espeakModule;
    this.#espeak = espeak;
    this.#fresh = usedMemory(espeakModule);
  }

  /** Makes espeak forget all that it has spoken, and sets a voice. Throws for an unknown one. */
  begin(voice: string): void {
    const memory = this.#ofVoices.get(voice) ?? this.#withVoice(voice);
    remember(this.#ofVoices, voice, memory, MAX_VOICES);
    this.#module.HEAPU8.set(memory);
  }

  #withVoice(voice: string): Uint8Array {
    // Texts before would lengthen the used memory.
    this.#module.HEAPU8.fill(0, this.#fresh.length, usedBytes(this.#module));
    this.#module.HEAPU8.set(this.#fresh);
    if (this.#espeak.set_voice(this.place(voice)) !== SUCCESS)
      throw new Error(`espeak has no voice '${voice}'`);
    return usedMemory(this.#module);
  }

  /**
   * Returns the address of a text, which is valid until the next `begin`. The methods of the package would copy a string to
   * memory that they keep, and that `begin` frees.
   */
  place(text: string): number {
    const bytes = Buffer.from(`${text}\0`);
    const place = this.#module._malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, place);
    return place;
  }
}
