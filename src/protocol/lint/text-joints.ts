import { SENTENCE_MARKS } from '#lib/text/punctuation.ts';

/** Scripts with spaces between words. */
export const LETTER = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';
const WORD_PIECE = new RegExp(`^[.,!?;:'’-]*${LETTER}+[.,!?;:'’-]*$`, 'u');
/** A sentence of several words, without the space behind it. */
const SENTENCE = new RegExp(`\\s\\S*\\p{Ll}{2}[${SENTENCE_MARKS}]["”’)]*$`, 'u');
const NEXT_SENTENCE = /^["“‘(]*\p{Lu}\p{Ll}*\s/u;
/** No word is as long. */
const RUN_CHARS = 60;
const RUN_PIECES = 5;

/**
 * Rules of how the text of a turn is cut into messages, where a server joins them as they are. Tokens of a model are no
 * mistake: their spaces are within the messages. So only joints that cannot be meant are faults.
 */
export class TextJoints {
  #before = '';
  #run = { chars: 0, pieces: 0 };

  /** Returns the fault of the joint before this text, as a message. */
  text(text: string): string | null {
    const before = this.#before;
    this.#before = text;
    const { chars, pieces } = this.#run;
    const isPiece = WORD_PIECE.test(text);
    this.#run = isPiece ? { chars: chars + text.length, pieces: pieces + 1 } : { chars: 0, pieces: 0 };
    const found =
      SENTENCE.test(before) && NEXT_SENTENCE.test(text)
        ? 'a sentence right behind another'
        : this.#run.chars > RUN_CHARS && this.#run.pieces >= RUN_PIECES
          ? `${this.#run.chars} characters without one`
          : null;
    return found && `expected a space between messages, got ${found}`;
  }

  /** The buffer is spoken. */
  cut(): void {
    this.#before = '';
    this.#run = { chars: 0, pieces: 0 };
  }
}
