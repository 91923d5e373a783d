import { isHighSurrogate } from '#lib/text/halves.ts';
import { isUnspaced } from '#lib/text/words.ts';

/** Text with the original's offset for each UTF-16 unit. */
export interface MappedText {
  readonly text: string;
  /** As many entries as `text` has units, never decreasing. */
  readonly sourceAt: readonly number[];
}

/** Builds a mapped text piece by piece, in the order of the original. */
export class MappedTextBuilder {
  #parts: string[] = [];
  #sourceAt: number[] = [];
  #last: string;

  /** @param last unit before, where it goes on with another text */
  constructor(last = '') {
    this.#last = last;
  }

  get lastUnit(): string {
    return this.#last;
  }

  push(text: string, source: number): void {
    if (text === '') return;
    this.#parts.push(text);
    for (let i = 0; i < text.length; i += 1) this.#sourceAt.push(source);
    this.#last = text.at(-1) ?? '';
  }

  build(): MappedText {
    return { text: this.#parts.join(''), sourceAt: this.#sourceAt };
  }
}

/**
 * Runs that the engine drops the end of, because they exceed its buffer of a word: letters that it spells, since no
 * vowel makes them a word, any other letters, and digits. Measured: spelled letters are lost from the 18th on.
 */
const TOO_LONG = /(?:(?![aeiouy])\p{Script=Latin}){13,}|[\p{L}\p{M}]{61,}|\p{Nd}{31,}/giu;
const PART_UNITS = { spelled: 12, letters: 60, digits: 30 };

/** Adds blanks to runs that are too long for the engine, so that all of them is spoken. */
export function withShortWords({ text, sourceAt }: MappedText): MappedText {
  const out = new MappedTextBuilder();
  let at = 0;
  const pushTo = (end: number) => {
    for (; at < end; at += 1) out.push(text.charAt(at), sourceAt[at] ?? 0);
  };
  for (const { 0: run, index } of text.matchAll(TOO_LONG)) {
    if (isUnspaced(run)) continue;
    const { spelled, letters, digits } = PART_UNITS;
    const units = /^\p{Nd}/u.test(run) ? digits : /[aeiouy]|\P{Script=Latin}/iu.test(run) ? letters : spelled;
    for (let end = index + units; end < index + run.length; end += units) {
      const splitsPair = isHighSurrogate(text.charCodeAt(end - 1));
      pushTo(splitsPair ? end - 1 : end);
      out.push(' ', sourceAt[at] ?? 0);
    }
  }
  if (at === 0) return { text, sourceAt };
  pushTo(text.length);
  return out.build();
}

export const joinMapped = (a: MappedText, b: MappedText): MappedText => ({
  text: a.text + b.text,
  sourceAt: a.sourceAt.concat(b.sourceAt),
});

export const sliceMapped = (mapped: MappedText, from: number, to: number): MappedText => ({
  text: mapped.text.slice(from, to),
  sourceAt: mapped.sourceAt.slice(from, to),
});
