import { setImmediate } from 'node:timers/promises';
import { z } from '#protocol/core/zod.ts';
import type { MappedText } from '../text/mapped-text.ts';
import type { HeardSound } from './heard-sounds.ts';
import { SpeechFault } from './speech-fault.ts';

/** A spoken token with its time from the start of the answer's audio, in s (Kokoro-FastAPI, `/dev/captioned_speech`). */
const caption = z.object({ word: z.string(), start_time: z.number(), end_time: z.number() });
export type WordCaption = Readonly<z.infer<typeof caption>>;

/** Captions are counted before they are read, because each takes time. Audio is read in slices. */
const line = z.object({ audio: z.string(), timestamps: z.nullish(z.array(z.unknown())) });
const captionList = z.array(caption);

/** Audio bytes and the captions of their words. */
export interface CaptionedBytes {
  readonly bytes: Uint8Array;
  readonly captions: readonly WordCaption[];
}

/** Longest line: the audio of a long sentence in base64 is below a megabyte. */
const MAX_LINE_CHARS = 4 * 1024 * 1024;
/** Empty lines in a row. Some keep a connection alive, and each takes time to read. */
const MAX_EMPTY_LINES = 1000;
/** Base64 that is read in one round of the event loop: a second of audio at 24 kHz, in whole groups of four. */
const SLICE_CHARS = 64 * 1024;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Servers write numbers and signs as words. */
const MAX_CAPTIONS = { ofAny: 100, ofCharacter: 2 };

/**
 * Reads an answer of JSON objects, one a line, in slices between which others have the event loop. Throws a SpeechFault
 * for anything else. @param characters of the text that is spoken, which bound its captions
 */
export async function* readCaptions(
  bytes: AsyncIterable<Uint8Array>,
  characters: number,
): AsyncGenerator<CaptionedBytes, void, undefined> {
  let captionsLeft = MAX_CAPTIONS.ofAny + MAX_CAPTIONS.ofCharacter * characters;
  const maxCaptions = captionsLeft;
  for await (const text of linesOf(bytes)) {
    const { audio, timestamps } = parsed(line, jsonOf(text));
    captionsLeft -= timestamps?.length ?? 0;
    if (captionsLeft < 0) {
      throw new SpeechFault('the speech server sent more captions than the text can have', { maxCaptions });
    }
    let captions: readonly WordCaption[] = parsed(captionList, timestamps ?? []);
    for (let at = 0; at === 0 || at < audio.length; at += SLICE_CHARS) {
      const slice = audio.slice(at, at + SLICE_CHARS);
      if (slice.length % 4 !== 0 || !BASE64.test(slice)) throw anotherForm();
      yield { bytes: Buffer.from(slice, 'base64'), captions };
      captions = [];
      await setImmediate();
    }
  }
}

/** The lines that are not empty. Throws a SpeechFault for a line or a run of empty lines that does not end. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let emptyLines = 0;
  for await (const part of bytes) {
    const [first = '', ...others] = decoder.decode(part, { stream: true }).split('\n');
    rest += first;
    for (const next of others) {
      if (rest.trim() !== '') {
        yield rest;
        emptyLines = 0;
      } else if (++emptyLines > MAX_EMPTY_LINES) {
        throw new SpeechFault('the speech server sent empty lines without end', {
          maxLines: MAX_EMPTY_LINES,
        });
      }
      rest = next;
    }
    if (rest.length > MAX_LINE_CHARS) {
      throw new SpeechFault('the speech server sent too long a line of captions', {
        maxCharacters: MAX_LINE_CHARS,
      });
    }
  }
  if (rest.trim() !== '') yield rest;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SpeechFault('the speech server sent captions that are no JSON');
  }
}

function parsed<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw anotherForm();
}

const anotherForm = () => new SpeechFault('the speech server sent captions of another form');

/** A token is searched for so far ahead, because the server writes numbers and signs as words. */
const SEARCHED_CHARS = 60;
/** Short tokens are found anywhere, so only the next word or two may be meant. */
const SHORT_TOKEN_CHARS = 2;
const SEARCHED_FOR_SHORT_CHARS = 12;
const SIGNIFICANT = /[\p{L}\p{N}\p{M}]/u;

/** Finds the tokens of captions in the text that they speak, in order. */
export class CaptionFollower {
  readonly #mapped: MappedText;
  /** As long as the text. */
  readonly #folded: string;
  #at = 0;

  constructor(mapped: MappedText) {
    this.#mapped = mapped;
    this.#folded = folded(mapped.text);
  }

  /** Returns the sounds of captions, in ms after `fromMs`. Punctuation has none. */
  sounds(captions: readonly WordCaption[], fromMs: number): HeardSound[] {
    return captions.flatMap(({ word, start_time, end_time }) => {
      const token = folded(word.trim());
      if (!SIGNIFICANT.test(token)) return [];
      return [
        { source: this.#find(token), startMs: fromMs + start_time * 1000, endMs: fromMs + end_time * 1000 },
      ];
    });
  }

  /** The offset of a token in the text as written; undefined for a token that is not written so. */
  #find(token: string): number | undefined {
    const reach = token.length > SHORT_TOKEN_CHARS ? SEARCHED_CHARS : SEARCHED_FOR_SHORT_CHARS;
    const searched = this.#folded.slice(0, this.#at + reach + token.length);
    for (let at = searched.indexOf(token, this.#at); at !== -1; at = searched.indexOf(token, at + 1)) {
      const isInWord = at > this.#at && SIGNIFICANT.test(searched.charAt(at - 1));
      if (isInWord && SIGNIFICANT.test(token.charAt(0))) continue;
      this.#at = at + token.length;
      return this.#mapped.sourceAt[at];
    }
    return undefined;
  }
}

/** Lower case without a change of length. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : Array.from(text, foldedUnit).join('');
}

function foldedUnit(unit: string): string {
  const lower = unit.toLowerCase();
  return lower.length === unit.length ? lower : unit;
}
