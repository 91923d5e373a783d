import { isUnspaced, type WrittenWord } from '#lib/text/words.ts';
import { type MappedText, MappedTextBuilder, withShortWords } from './mapped-text.ts';

/** Text spoken in one manner. */
export interface SpeechRun extends Manner {
  readonly kind: 'speech';
  readonly mapped: MappedText;
  /** Its end offset in the text as written. */
  readonly sourceEnd: number;
  /** The next run goes on with its text. */
  readonly isOpen: boolean;
}

export type Silence = { readonly kind: 'silence'; readonly durationMs: number };

export type SpokenRun = SpeechRun | Silence;

/** A part of a text to speak, with a map back to the written text, and the words that begin in it. */
export interface SpokenPart {
  readonly runs: readonly SpokenRun[];
  readonly words: readonly WrittenWord[];
}

interface Manner {
  /** Factor given by `prosody`, in place of the request's speed. */
  readonly rate: number | undefined;
  /** Character by character. */
  readonly spelled: boolean;
}

/** Characters read and written after which a part is full, so that it takes a few milliseconds at most. */
const STEPS_OF_PART = 1000;
/** A longer word is cut. */
const MAX_STEPS = 2 * STEPS_OF_PART;
const IN_WORD = /[\p{L}\p{M}\p{Nd}]/u;

/** Builds the parts of a text, which goes on from one to the next. */
export class PartBuilder {
  readonly #cutsLongWords: boolean;
  #runs: SpokenRun[] = [];
  #words: WrittenWord[] = [];
  #ahead: Iterator<WrittenWord> = [].values();
  #nextWord: IteratorResult<WrittenWord> = { done: true, value: undefined };
  #steps = 0;
  #manner: Manner = { rate: undefined, spelled: false };
  #text = new MappedTextBuilder();
  #sourceEnd = 0;
  /** The run has text in an earlier part. */
  #isContinued = false;

  /** @param cutsLongWords adds blanks to runs that are too long for the engine */
  constructor(cutsLongWords: boolean) {
    this.#cutsLongWords = cutsLongWords;
  }

  /** The part can end here. */
  get isFull(): boolean {
    if (this.#steps < STEPS_OF_PART) return false;
    return this.#steps >= MAX_STEPS || !this.#isInWord;
  }

  get lastUnit(): string {
    return this.#text.lastUnit;
  }

  /** Begins a run, unless the current one has the same manner. */
  begin(manner: Manner): void {
    if (this.#manner.rate !== manner.rate || this.#manner.spelled !== manner.spelled) this.close();
    this.#manner = manner;
  }

  push(text: string, source: number): void {
    this.#text.push(text, source);
    this.#steps += text.length;
  }

  /** Begins a segment of the text with these words. */
  read(words: Iterator<WrittenWord>): void {
    this.#ahead = words;
    this.#nextWord = words.next();
  }

  /** Notes how far the segment was read. */
  reach(source: number): void {
    this.#steps += source - this.#sourceEnd;
    this.#sourceEnd = source;
    for (
      ;
      !this.#nextWord.done && this.#nextWord.value.start <= source;
      this.#nextWord = this.#ahead.next()
    ) {
      this.#words.push(this.#nextWord.value);
    }
  }

  /** Notes markup that is not spoken. */
  skip(): void {
    this.#steps += 1;
  }

  silence(durationMs: number): void {
    this.close();
    if (durationMs > 0) this.#runs.push({ kind: 'silence', durationMs });
  }

  /** Ends the run. */
  close(): void {
    this.#add(false);
    this.#isContinued = false;
    this.#text = new MappedTextBuilder();
  }

  /** Removes the part. Its last run stays open. */
  take(): SpokenPart {
    if (this.#cutsLongWords && this.#isInWord) this.#text.push(' ', this.#sourceEnd);
    this.#add(true);
    this.#text = new MappedTextBuilder(this.#text.lastUnit);
    const part = { runs: this.#runs, words: this.#words };
    this.#runs = [];
    this.#words = [];
    this.#steps = 0;
    return part;
  }

  get #isInWord(): boolean {
    return IN_WORD.test(this.lastUnit) && !isUnspaced(this.lastUnit);
  }

  #add(isOpen: boolean): void {
    const mapped = this.#text.build();
    if (mapped.text === '' && (isOpen || !this.#isContinued)) return;
    this.#isContinued = true;
    const isCut = this.#cutsLongWords && !this.#manner.spelled;
    this.#runs.push({
      kind: 'speech',
      mapped: isCut ? withShortWords(mapped) : mapped,
      ...this.#manner,
      sourceEnd: this.#sourceEnd,
      isOpen,
    });
  }
}
