import { endsSentence } from './payload.ts';
import { LETTER } from './text-joints.ts';

const ONE_WORD = new RegExp(`^\\s*${LETTER}+\\s*$`, 'u');
const GOES_ON = new RegExp(`^(?!\\p{Lu})${LETTER}`, 'u');
/** One-word messages in a row. */
const MAX_SINGLE_WORDS = 3;

/** Rules of how text is cut into messages, where a server speaks each message on its own. */
export class TextPieces {
  #before = '';
  #words = 0;

  /** Returns the fault of this text, as a message. */
  text(text: string): string | null {
    const before = this.#before;
    this.#before = text;
    this.#words = ONE_WORD.test(text) && !endsSentence(text) ? this.#words + 1 : 0;
    const isInWord = ONE_WORD.test(before) && !/\s$/.test(before) && GOES_ON.test(text);
    const found = isInWord ? 'a piece of a word' : this.#words >= MAX_SINGLE_WORDS ? 'word after word' : null;
    return found && `expected whole sentences or phrases, got ${found}`;
  }
}
