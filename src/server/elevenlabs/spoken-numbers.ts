import { addAll } from '#lib/collections/arrays.ts';
import { NUMBERS, type Spelling, spellingOf, spokenForm } from '#lib/text/spoken-form.ts';
import { withoutTags } from '#protocol/core/text-words.ts';
import type { SpeechRequest } from '../speech/engine.ts';

/** A number of a text, and what is spoken for it. */
export interface SpokenNumber {
  start: number;
  end: number;
  spoken: string;
}

const NUMBER = new RegExp(NUMBERS, 'gu');
const DIGIT = /\p{Nd}/u;
const IN_WORD = /[\p{L}\p{M}\p{Nd}]/u;

/** A text to speak. `numbers` is null where its numbers are spoken as they are written. */
export interface SpokenText {
  text: string;
  numbers: SpokenNumbers | null;
}

/** Returns the numbers of a text as they are spoken; null where they are spoken as they are written. */
export async function spokenNumbersOf({
  text,
  language,
  normalize,
  markup,
}: Pick<SpeechRequest, 'text' | 'language' | 'normalize' | 'markup'>): Promise<SpokenNumbers | null> {
  if (!normalize || !language || !DIGIT.test(text)) return null;
  const spelling = await spellingOf(language);
  return new SpokenNumbers(markup === 'tags' ? withoutTags(text) : text, spelling);
}

/** The numbers of a text in their order. Each is spelled when its part is read, so that a long text takes no time at once. */
export class SpokenNumbers {
  readonly #text: string;
  readonly #spelling: Spelling;
  readonly #found: Iterator<RegExpExecArray>;
  #next: RegExpExecArray | undefined;
  #read: SpokenNumber[] = [];

  constructor(text: string, spelling: Spelling) {
    this.#text = text;
    this.#spelling = spelling;
    this.#found = text.matchAll(NUMBER);
    this.#advance();
  }

  /** Spells all numbers before a place, for `take`. */
  read(to: number): void {
    for (let next = this.#next; next && next.index < to; next = this.#next) {
      addAll(this.#read, this.#spell(next[0], next.index));
      this.#advance();
    }
  }

  /** Returns the numbers of the next part of the text, by their places in it. One that goes on behind it is spoken in it. */
  take(from: number, to: number): SpokenNumber[] {
    this.read(to);
    const taken = this.#read.map(({ start, end, spoken }) => ({
      start: Math.max(start, from) - from,
      end: Math.min(end, to) - from,
      spoken: start < from ? '' : spoken,
    }));
    this.#read = this.#read.filter(({ end }) => end > to);
    return taken;
  }

  #advance(): void {
    const { value, done } = this.#found.next();
    this.#next = done ? undefined : value;
  }

  /** None for a number that this language does not spell. */
  #spell(written: string, start: number): SpokenNumber[] {
    const plain = written.normalize('NFKC');
    const form = /^0\d+$/.test(plain) ? plain : spokenForm(plain, this.#spelling);
    const end = start + written.length;
    const before = IN_WORD.test(this.#text.charAt(start - 1)) ? ' ' : '';
    const behind = IN_WORD.test(this.#text.charAt(end)) ? ' ' : '';
    const numbers = DIGIT.test(form)
      ? this.#digits(written, start)
      : [{ start, end, spoken: form.replaceAll(/[\s-]+/g, ' ').trim() }];
    if (numbers.some(({ spoken }) => DIGIT.test(spoken))) return [];
    const [first, last] = [numbers[0], numbers.at(-1)];
    if (first) first.spoken = before + first.spoken;
    if (last) last.spoken += behind;
    return numbers;
  }

  /** A row that is no number is spoken digit by digit. A long one is longer than a segment. */
  #digits(written: string, start: number): SpokenNumber[] {
    const last = written.search(/\p{Nd}\P{Nd}*$/u);
    return [...written.matchAll(/[\p{Nd}.,]/gu)].map(({ 0: char, index }) => ({
      start: start + index,
      end: start + index + char.length,
      spoken: DIGIT.test(char)
        ? this.#spelling.cardinal(char.normalize('NFKC')) + (index < last ? ' ' : '')
        : '',
    }));
  }
}
