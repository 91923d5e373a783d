import { overlapOf } from '#lib/text/beginnings.ts';
import { isUnspaced, markedWords, type WrittenWord } from '#lib/text/words.ts';
import type { SpeechEvent, SpokenWord } from '../../core/speech-event.ts';
import type { Alignment } from './server-frames.ts';

export const isBlank = (character: string): boolean => character.trim() === '';

/** More characters than this do not wait for the end of their word. */
const MAX_OPEN_CHARS = 2000;
/** A script without spaces has no longer word, so a dictionary finds the same words with more text behind it. */
const MAX_OPEN_UNSPACED = 48;
/** Shared characters that show an alignment to begin again, rather than a letter that is there twice. */
const LEAST_REPEATED = 2;

/** A character of a segment; ms from the start of the chunk's audio. */
interface TimedCharacter {
  text: string;
  startMs: number;
  endMs: number;
}

/** Both alignments of a message: as the text was written, and as it is spoken. */
export interface MessageTexts {
  written: string;
  normalized: string;
}

/**
 * Whether the written alignment of a message begins again with text of the message before, where the spoken one goes on
 * (elevenlabs-words-7).
 */
export function beginsAgain(before: MessageTexts, now: MessageTexts): boolean {
  const repeated = overlapOf(before.written, now.written);
  // Text that is written alike at both ends may follow itself, as in "$10" and "10 people".
  const isWhole = repeated === before.written.length || repeated === now.written.length;
  return isWhole && repeated >= LEAST_REPEATED && repeated > overlapOf(before.normalized, now.normalized);
}

/** Returns the texts of a message; null where it has not both. */
export const messageTextsOf = (
  written: Alignment | null,
  normalized: Alignment | null,
): MessageTexts | null =>
  written &&
  normalized && { written: written.chars.join('').trim(), normalized: normalized.chars.join('').trim() };

/**
 * The segments of one turn, each a chunk: a message with an alignment, and those without one behind it. Times begin anew with
 * each segment and add up to its audio (elevenlabs-words-2 elevenlabs-words-4). A word that goes on in the next segment belongs
 * to the one in which it begins, and so does a segment that is wholly within the word.
 */
export class Segments {
  readonly #context: string;
  #chunk = -1;
  #text = '';
  #spokenAs: { spokenAs?: string } = {};
  #durationMs: number | null = null;
  /** Of the last message with both alignments. */
  #texts: MessageTexts | null = null;
  /** The end of the chunk's text, whose words more text may change. */
  #open: readonly TimedCharacter[] = [];

  constructor(context: string) {
    this.#context = context;
  }

  get chunk(): number {
    return this.#chunk;
  }

  /** A frame with audio: begins a segment where it has an alignment, or where it is the first. */
  received(written: Alignment | null, normalized: Alignment | null): SpeechEvent[] {
    const isAgain = this.#isAgain(written, normalized);
    const alignment = isAgain ? normalized : (written ?? normalized);
    if (!alignment) return this.#chunk < 0 ? [this.#begin(null)] : [];
    const more = charactersOf(alignment);
    const open = this.#open;
    const junction = lengthOf(open);
    const text = textOf([...open, ...more]);
    const closedEnd = closedEndOf(text);
    if (open.length > 0 && closedEnd <= junction) return this.#grow(more, closedEnd);
    const words = closedWords(text, closedEnd);
    const crossing = words.find(({ start, end }) => start < junction && end > junction);
    const begins = crossing?.end ?? junction;
    const before = this.#chunk < 0 ? [] : this.#finish(words, more, begins - junction);
    const spokenAs = isAgain ? '' : (normalized?.chars.join('').trim() ?? '');
    const isOther = written !== null && spokenAs !== '' && spokenAs !== written.chars.join('').trim();
    const begun = this.#begin(text.slice(begins), isOther ? spokenAs : undefined);
    this.#durationMs = more.at(-1)?.endMs ?? 0;
    const rest = charactersFrom(more, begins - junction);
    this.#open = charactersFrom(more, closedEnd - junction);
    const own = words.filter(({ start }) => start >= begins);
    return [...before, begun, ...this.#words(own, rest, begins, 0)];
  }

  /** The end of the turn. */
  end(): SpeechEvent[] {
    if (this.#chunk < 0) return [];
    const ended = this.#finish(markedWords(textOf(this.#open)), [], 0);
    this.#open = [];
    return ended;
  }

  #isAgain(written: Alignment | null, normalized: Alignment | null): boolean {
    const before = this.#texts;
    const now = messageTextsOf(written, normalized);
    if (now) this.#texts = now;
    return before !== null && now !== null && beginsAgain(before, now);
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

  /** A segment that is wholly within the open text. @param closedEnd of the open text and the segment */
  #grow(more: readonly TimedCharacter[], closedEnd: number): SpeechEvent[] {
    const from = this.#text.length - lengthOf(this.#open);
    const all = [...this.#open, ...this.#later(more)];
    this.#text += textOf(more);
    this.#durationMs = all.at(-1)?.endMs ?? null;
    this.#open = charactersFrom(all, closedEnd);
    const words = closedWords(textOf(all), closedEnd);
    return [{ ...this.#started(this.#text), isMore: true }, ...this.#words(words, all, 0, from)];
  }

  /**
   * Ends the chunk with the words that begin in its open text.
   * @param words in the open text and the segment behind it
   * @param grownBy characters of that segment that belong to the last of them
   */
  #finish(words: readonly WrittenWord[], more: readonly TimedCharacter[], grownBy: number): SpeechEvent[] {
    const junction = lengthOf(this.#open);
    const from = this.#text.length - junction;
    const all = [...this.#open, ...this.#later(more)];
    this.#text += textOf(more).slice(0, grownBy);
    const own = words.filter(({ start }) => start < junction);
    const audioSeconds = this.#durationMs === null ? null : this.#durationMs / 1000;
    return [
      ...(grownBy > 0 ? [{ ...this.#started(this.#text), isMore: true } as const] : []),
      ...this.#words(own, all, 0, from),
      { type: 'chunkCompleted', ...this.#place, audioSeconds, generationMs: null },
    ];
  }

  /** The times of a segment are behind those so far. */
  #later(more: readonly TimedCharacter[]): TimedCharacter[] {
    const byMs = this.#durationMs ?? 0;
    return more.map(({ text, startMs, endMs }) => ({ text, startMs: byMs + startMs, endMs: byMs + endMs }));
  }

  /**
   * @param characters begin at offset `first` of the text in which the words were found
   * @param at the offset of the first in the text of the chunk
   */
  #words(
    words: readonly WrittenWord[],
    characters: readonly TimedCharacter[],
    first: number,
    at: number,
  ): SpeechEvent[] {
    if (words.length === 0) return [];
    const spoken: SpokenWord[] = [];
    let [place, offset] = [0, first];
    const pass = (to: number): TimedCharacter | undefined => {
      let last = characters[place];
      for (; last && offset + last.text.length <= to; last = characters[place]) {
        offset += last.text.length;
        place += 1;
      }
      return last;
    };
    for (const { start, end } of words) {
      const startMs = pass(start)?.startMs ?? 0;
      const endMs = pass(end - 1)?.endMs ?? startMs;
      const [charStart, charEnd] = [start - first + at, end - first + at];
      spoken.push({ word: this.#text.slice(charStart, charEnd), startMs, endMs, charStart, charEnd });
    }
    return [{ type: 'words', ...this.#place, words: spoken }];
  }
}

const charactersOf = ({ chars, charStartTimesMs, charDurationsMs }: Alignment): TimedCharacter[] =>
  chars.map((text, at) => {
    const startMs = charStartTimesMs[at] ?? 0;
    return { text, startMs, endMs: startMs + (charDurationsMs[at] ?? 0) };
  });

const textOf = (characters: readonly TimedCharacter[]): string => characters.map(({ text }) => text).join('');

const lengthOf = (characters: readonly TimedCharacter[]): number =>
  characters.reduce((sum, { text }) => sum + text.length, 0);

function charactersFrom(characters: readonly TimedCharacter[], offset: number): TimedCharacter[] {
  let at = 0;
  return characters.flatMap((character) => {
    const { text } = character;
    at += text.length;
    return at > offset ? [{ ...character, text: text.slice(Math.max(0, text.length - (at - offset))) }] : [];
  });
}

/** A character that goes on with a word of a script without spaces. */
const goesOn = (character: string): boolean =>
  isUnspaced(character) || /[\p{Lm}\p{M}\p{Cf}]/u.test(character);

const closedWords = (text: string, closedEnd: number): WrittenWord[] =>
  markedWords(text).filter(({ end }) => end <= closedEnd);

/** Returns the end of the text whose words no further text can change. */
function closedEndOf(text: string): number {
  const run = endOf(text, (character) => !isBlank(character));
  const from = text.length - run.length;
  if (run.length > MAX_OPEN_CHARS) return text.length;
  if (!isUnspaced(run)) return from;
  const words = markedWords(run);
  const stretch = run.length - endOf(run, goesOn).length;
  const last = Math.min(stretch, words.at(-1)?.start ?? 0);
  const open = Math.max(last, run.length - MAX_OPEN_UNSPACED);
  return from + (words.findLast(({ start }) => start <= open)?.start ?? 0);
}

/** Returns the characters of one kind with which a text ends. */
function endOf(text: string, isMeant: (character: string) => boolean): string {
  const characters = [...text];
  return characters.slice(characters.findLastIndex((character) => !isMeant(character)) + 1).join('');
}
