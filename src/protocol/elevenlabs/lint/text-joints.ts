import type { LintMoment } from '../../core/rule.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { endsSentence } from '../../lint/payload.ts';
import type { AddressTraits } from './address.ts';
import type { ElevenLabsRuleId } from './rules.ts';

/** Scripts with spaces between words. */
const LETTER = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';
const ONE_WORD = new RegExp(`^\\s*${LETTER}+\\s*$`, 'u');
const WORD_PIECE = new RegExp(`^[.,!?;:'’-]*${LETTER}+[.,!?;:'’-]*$`, 'u');
const GOES_ON = new RegExp(`^(?!\\p{Lu})${LETTER}`, 'u');
/** A sentence of several words, without the space behind it. */
const SENTENCE = /\s\S*\p{Ll}{2}[.!?]["”’)]*$/u;
const NEXT_SENTENCE = /^["“‘(]*\p{Lu}\p{Ll}*\s/u;
const OPEN_TAG = /<\/?[a-z][^<>]*$/i;
/** No word is as long. */
const RUN_CHARS = 60;
const RUN_PIECES = 5;
/** One-word messages in a row. */
const MAX_SINGLE_WORDS = 3;

/**
 * Rules of how the text of a turn is cut into messages. Tokens of a model are no mistake: their spaces are within the
 * messages. So only joints that cannot be meant are reported.
 */
export class TextJoints {
  readonly #report: ReportFinding<ElevenLabsRuleId>;
  readonly #traits: AddressTraits | null;
  #before = '';
  #run = { chars: 0, pieces: 0 };
  #singleWords = 0;

  constructor(report: ReportFinding<ElevenLabsRuleId>, traits: AddressTraits | null) {
    this.#report = report;
    this.#traits = traits;
  }

  text(text: string, at: LintMoment): void {
    const before = this.#before;
    this.#before = text;
    if (this.#traits?.hasSsml && OPEN_TAG.test(text)) {
      this.#report('ssml-split', at, 'expected whole tags, got the beginning of one', 'text');
    }
    if (this.#traits?.isAuto) this.#checkFragment(before, text, at);
    else if (this.#traits) this.#checkGlue(before, text, at);
  }

  /** The buffer is spoken, so nothing joins the text before. */
  cut(): void {
    if (this.#traits?.isAuto) return;
    this.#before = '';
    this.#run = { chars: 0, pieces: 0 };
  }

  #checkFragment(before: string, text: string, at: LintMoment): void {
    this.#singleWords = ONE_WORD.test(text) && !endsSentence(text) ? this.#singleWords + 1 : 0;
    const isSplit = ONE_WORD.test(before) && !/\s$/.test(before) && GOES_ON.test(text);
    if (!isSplit && this.#singleWords < MAX_SINGLE_WORDS) return;
    this.#singleWords = 0;
    const found = isSplit ? 'a piece of a word' : `${MAX_SINGLE_WORDS} single words in a row`;
    this.#report('auto-mode-fragment', at, `expected whole sentences or phrases, got ${found}`, 'text');
  }

  #checkGlue(before: string, text: string, at: LintMoment): void {
    const isGlued = SENTENCE.test(before) && NEXT_SENTENCE.test(text);
    const { chars, pieces } = this.#run;
    this.#run = WORD_PIECE.test(text)
      ? { chars: chars + text.length, pieces: pieces + 1 }
      : { chars: 0, pieces: 0 };
    const isRun = this.#run.chars > RUN_CHARS && this.#run.pieces >= RUN_PIECES;
    if (!isGlued && !isRun) return;
    const found = isGlued ? 'a sentence right behind another' : `${this.#run.chars} characters without one`;
    this.#report('words-glued', at, `expected a space between messages, got ${found}`, 'text');
  }
}
