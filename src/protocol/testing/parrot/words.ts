import type { SpokenWord } from '../../core/speech-event.ts';
import type { CharactersFrame } from './frames.ts';

/** Joins characters and their times to words. A word is complete when white space or the end of the text follows it. */
export class WordJoiner {
  #text = '';
  #word: SpokenWord | null = null;

  /** All characters so far. Offsets of words refer to it. */
  get text(): string {
    return this.#text;
  }

  /** Returns the words that these characters complete. */
  add({ characters, start_ms, end_ms }: CharactersFrame): SpokenWord[] {
    return characters.flatMap((character, at) => {
      const charStart = this.#text.length;
      this.#text += character;
      if (character.trim() === '') return this.end();
      const word = this.#word;
      this.#word = {
        word: (word?.word ?? '') + character,
        startMs: word?.startMs ?? start_ms[at] ?? 0,
        endMs: end_ms[at] ?? 0,
        charStart: word?.charStart ?? charStart,
        charEnd: this.#text.length,
      };
      return [];
    });
  }

  /** Returns the word that is still open, if any. */
  end(): SpokenWord[] {
    const words = this.#word ? [this.#word] : [];
    this.#word = null;
    return words;
  }
}
