import { z } from '#protocol/core/zod.ts';
import type { MappedText } from '../text/mapped-text.ts';
import type { HeardSound } from './heard-sounds.ts';
import { SpeechFault } from './speech-fault.ts';

/** A spoken token with its time from the start of the answer's audio, in s (Kokoro-FastAPI, `/dev/captioned_speech`). */
const caption = z.object({ word: z.string(), start_time: z.number(), end_time: z.number() });
export type WordCaption = Readonly<z.infer<typeof caption>>;

const line = z.object({ audio: z.base64(), timestamps: z.nullish(z.array(caption)) });

/** Audio bytes and the captions of their words. */
export interface CaptionedBytes {
  readonly bytes: Uint8Array;
  readonly captions: readonly WordCaption[];
}

/** Longest line: the audio of a long sentence in base64 is below a megabyte. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;

/** Reads an answer of JSON objects, one a line. Throws a SpeechFault for anything else. */
export async function* readCaptions(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<CaptionedBytes, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of bytes) {
    const [first = '', ...others] = decoder.decode(part, { stream: true }).split('\n');
    rest += first;
    for (const next of others) {
      yield* readLine(rest);
      rest = next;
    }
    if (rest.length > MAX_LINE_CHARS)
      throw new SpeechFault('the speech server sent a line of captions without end');
  }
  yield* readLine(rest);
}

function* readLine(text: string): Generator<CaptionedBytes> {
  if (text.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SpeechFault('the speech server sent captions that are no JSON');
  }
  const read = line.safeParse(value);
  if (!read.success) throw new SpeechFault('the speech server sent captions of another form');
  yield { bytes: Buffer.from(read.data.audio, 'base64'), captions: read.data.timestamps ?? [] };
}

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
const folded = (text: string): string =>
  Array.from(text, (unit) => {
    const lower = unit.toLowerCase();
    return lower.length === unit.length ? lower : unit;
  }).join('');
