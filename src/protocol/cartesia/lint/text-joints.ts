import { endsSentence } from '../../lint/payload.ts';

/** Scripts with spaces between words. */
const LETTER = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';
const ONE_WORD = new RegExp(`^\\s*${LETTER}+\\s*$`, 'u');
const WORD_PIECE = new RegExp(`^[.,!?;:'’-]*${LETTER}+[.,!?;:'’-]*$`, 'u');
const GOES_ON = new RegExp(`^(?!\\p{Lu})${LETTER}`, 'u');
/** A sentence of several words, without the space behind it. */
const SENTENCE = /\s\S*\p{Ll}{2}[.!?]["”’)]*$/u;
const NEXT_SENTENCE = /^["“‘(]*\p{Lu}\p{Ll}*\s/u;
/** No word is as long. */
const RUN_CHARS = 60;
const RUN_PIECES = 5;
/** One-word messages in a row. */
const MAX_SINGLE_WORDS = 3;

/**
 * Rules of how the text of a turn is cut into messages. Tokens of a model are no mistake: their spaces are within the
 * messages. So only joints that cannot be meant are faults.
 */
export class TextJoints {
  readonly #isAuto: boolean;
  #before = '';
  #run = { chars: 0, pieces: 0 };

  constructor(isAuto: boolean) {
    this.#isAuto = isAuto;
  }

  /** Returns the fault of the joint before this text, as a rule and its message. */
  text(text: string): ['words-glued' | 'unbuffered-fragment', string] | null {
    const before = this.#before;
    this.#before = text;
    const found = this.#isAuto ? this.#fragment(before, text) : this.#glue(before, text);
    if (found === null) return null;
    if (this.#isAuto) return ['unbuffered-fragment', `expected whole sentences or phrases, got ${found}`];
    return ['words-glued', `expected a space between messages, got ${found}`];
  }

  /** The buffer is spoken. With auto_mode nothing is buffered. */
  cut(): void {
    if (this.#isAuto) return;
    this.#before = '';
    this.#run = { chars: 0, pieces: 0 };
  }

  #extendRun(text: string, isPart: boolean): void {
    const { chars, pieces } = this.#run;
    this.#run = isPart ? { chars: chars + text.length, pieces: pieces + 1 } : { chars: 0, pieces: 0 };
  }

  #fragment(before: string, text: string): string | null {
    this.#extendRun(text, ONE_WORD.test(text) && !endsSentence(text));
    if (ONE_WORD.test(before) && !/\s$/.test(before) && GOES_ON.test(text)) return 'a piece of a word';
    return this.#run.pieces >= MAX_SINGLE_WORDS ? 'word after word' : null;
  }

  #glue(before: string, text: string): string | null {
    this.#extendRun(text, WORD_PIECE.test(text));
    if (SENTENCE.test(before) && NEXT_SENTENCE.test(text)) return 'a sentence right behind another';
    const { chars, pieces } = this.#run;
    return chars > RUN_CHARS && pieces >= RUN_PIECES ? `${chars} characters without one` : null;
  }
}
