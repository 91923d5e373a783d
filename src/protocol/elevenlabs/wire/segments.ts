import { addAll } from '#lib/collections/arrays.ts';
import type { SpeechEvent, SpokenWord } from '../../core/speech-event.ts';
import type { Alignment } from './server-frames.ts';

export const isBlank = (character: string): boolean => character.trim() === '';

/**
 * The segments of one turn, each a chunk: a message with an alignment, and those without one behind it
 * (`facts-elevenlabs 4.3`). Times begin anew with each segment and add up to its audio. A word that goes on in the next
 * segment belongs to the one in which it begins, and so does a segment that is wholly within the word.
 */
export class Segments {
  readonly #context: string;
  #chunk = -1;
  #text = '';
  #spokenAs: { spokenAs?: string } = {};
  #durationMs: number | null = null;
  /** The last word, until something shows its end. */
  #word: SpokenWord | null = null;

  constructor(context: string) {
    this.#context = context;
  }

  get chunk(): number {
    return this.#chunk;
  }

  /** A frame with audio: begins a segment where it has an alignment, or where it is the first. */
  received(written: Alignment | null, normalized: Alignment | null): SpeechEvent[] {
    const alignment = written ?? normalized;
    if (!alignment) return this.#chunk < 0 ? [this.#begin(null)] : [];
    const end = this.#word ? alignment.chars.findIndex(isBlank) : 0;
    if (end < 0) return this.#grow(alignment, alignment.chars.length);
    const grown = end > 0 ? this.#grow(alignment, end) : [];
    const before = this.#chunk < 0 ? [] : [...grown, ...this.end()];
    const text = alignment.chars.slice(end).join('');
    const spokenAs = normalized?.chars.join('').trim() ?? '';
    const isOther = written !== null && spokenAs !== '' && spokenAs !== written.chars.join('').trim();
    const begun = this.#begin(text, isOther ? spokenAs : undefined);
    const words = this.#read(alignment, end);
    this.#durationMs = endOf(alignment, alignment.chars.length - 1);
    return [...before, begun, ...this.#words(words)];
  }

  /** The end of the turn. */
  end(): SpeechEvent[] {
    return this.#chunk < 0 ? [] : [...this.#words(this.#takeWord()), ...this.#complete()];
  }

  #begin(text: string | null, spokenAs?: string): SpeechEvent {
    this.#chunk += 1;
    this.#text = text ?? '';
    this.#spokenAs = spokenAs === undefined ? {} : { spokenAs };
    this.#durationMs = null;
    return this.#started(text);
  }

  #started(text: string | null): Extract<SpeechEvent, { type: 'chunkStarted' }> {
    return { type: 'chunkStarted', ...this.#place, text, inferred: true, ...this.#spokenAs };
  }

  get #place(): { context: string; chunk: number } {
    return { context: this.#context, chunk: this.#chunk };
  }

  /** The open word goes on with the first characters of a segment. The times of the segment are behind those so far. */
  #grow({ chars, ...alignment }: Alignment, count: number): SpeechEvent[] {
    const word = this.#word;
    if (!word) return [];
    const rest = chars.slice(0, count).join('');
    this.#text += rest;
    const endMs = (this.#durationMs ?? 0) + endOf(alignment, count - 1);
    this.#word = { ...word, word: word.word + rest, endMs, charEnd: this.#text.length };
    if (count === chars.length) this.#durationMs = endMs;
    return [{ ...this.#started(this.#text), isMore: true }];
  }

  /** Reads characters from a place on. The last word stays open until it is known to be whole. */
  #read({ chars, charStartTimesMs, ...rest }: Alignment, from: number): SpokenWord[] {
    const words: SpokenWord[] = [];
    let offset = 0;
    for (let at = from; at < chars.length; at += 1) {
      const character = chars[at] ?? '';
      const charStart = offset;
      offset += character.length;
      if (isBlank(character)) {
        addAll(words, this.#takeWord());
        continue;
      }
      const word: SpokenWord = this.#word ?? {
        word: '',
        startMs: charStartTimesMs[at] ?? 0,
        endMs: 0,
        charStart,
        charEnd: 0,
      };
      const endMs = endOf({ charStartTimesMs, ...rest }, at);
      this.#word = { ...word, word: word.word + character, endMs, charEnd: offset };
    }
    return words;
  }

  #takeWord(): SpokenWord[] {
    const words = this.#word ? [this.#word] : [];
    this.#word = null;
    return words;
  }

  #words(words: readonly SpokenWord[]): SpeechEvent[] {
    return words.length === 0 ? [] : [{ type: 'words', ...this.#place, words }];
  }

  #complete(): SpeechEvent[] {
    const audioSeconds = this.#durationMs === null ? null : this.#durationMs / 1000;
    return [{ type: 'chunkCompleted', ...this.#place, audioSeconds, generationMs: null }];
  }
}

const endOf = (
  { charStartTimesMs, charDurationsMs }: Pick<Alignment, 'charStartTimesMs' | 'charDurationsMs'>,
  at: number,
): number => (charStartTimesMs[at] ?? 0) + (charDurationsMs[at] ?? 0);
