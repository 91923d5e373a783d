import { isHighSurrogate } from '#lib/text/halves.ts';
import {
  CLAUSE_MARKS,
  SENTENCE_MARKS,
  WIDE_CLAUSE_MARKS,
  WIDE_SENTENCE_MARKS,
} from '#lib/text/punctuation.ts';
import { isUnspaced, unspacedWords } from '#lib/text/words.ts';
import { joinMapped, type MappedText, sliceMapped } from './mapped-text.ts';
import type { Silence, SpeechRun, SpokenRun } from './part-builder.ts';
import { PARAGRAPH } from './spoken-text.ts';
import { endsAbbreviation, isSpeakable, speakableFrom } from './words.ts';

/** A piece for one worker call. */
export interface SpeechPiece extends SpeechRun {
  /** The silence after it at normal pace. */
  readonly pauseMs: number;
  /** Cut where the writer made no pause, so the voice must not fall. */
  readonly continues: boolean;
}

/** Longest piece, in UTF-16 units. A sentence up to this length stays whole. */
const WHOLE_PIECE_LENGTH = 300;
/** Half a second of speech. Shorter pieces sound chopped and gain nothing, because each has a fixed cost. */
const SHORTEST_FIRST_PIECE = 12;
const SHORTEST_PIECE = 24;
/** While others want the same thread: some 15 ms of work for a first piece, 40 ms for a later one. */
const LONGEST_SHARED_FIRST_PIECE = 40;
const LONGEST_SHARED_PIECE = 120;
/** Characters that a thread says in one round of all who want it: 0.1 s of work for first pieces, later 0.3 s. */
const FIRST_ROUND_LENGTH = 300;
const ROUND_LENGTH = 800;

/**
 * Returns the maximum length of the next piece. A lone request keeps its sentences whole, for the sake of prosody. Pieces
 * get shorter with the number of waiting requests, so that each is served before its audio runs out.
 * @param sharing requests that want a piece now or have one, for each thread
 */
export function pieceLength(sharing: number, isFirst: boolean): number {
  if (sharing <= 1) return WHOLE_PIECE_LENGTH;
  const [round, shortest, longest] = isFirst
    ? [FIRST_ROUND_LENGTH, SHORTEST_FIRST_PIECE, LONGEST_SHARED_FIRST_PIECE]
    : [ROUND_LENGTH, SHORTEST_PIECE, LONGEST_SHARED_PIECE];
  return Math.round(Math.min(longest, Math.max(shortest, round / sharing)));
}

// The pauses that espeak itself makes inside a text at 175 words a minute, measured; it makes none at the end.
const SENTENCE_PAUSE_MS = 300;
const COLON_PAUSE_MS = 225;
const CLAUSE_PAUSE_MS = 150;

const MARK = `(?![${WIDE_SENTENCE_MARKS}])[${SENTENCE_MARKS}]`;
/** Looks back so that a long run of marks is tried once, not once from each of its marks. */
const SENTENCE_END = new RegExp(
  `(?<!${MARK})(?:${MARK})+["'\\u0029\\]]*(?=\\s|$)|[${WIDE_SENTENCE_MARKS}]+["'\\u0029\\]\\u300d\\u300f\\uff09]*`,
  'gu',
);
const CLAUSE_END = new RegExp(`[${CLAUSE_MARKS}\\u2014]["'\\u0029\\]]*(?=\\s)|[${WIDE_CLAUSE_MARKS}]`, 'gu');
const ORDINAL = /(?:^|\s)\d{1,2}\.$/;
const LOWER_CASE_NEXT = /^\s+["'(]?\p{Ll}/u;
const LETTER_NEXT = /^\s+["'(]?[\p{L}\d]/u;
const LINE_END_SPACE = /[\s]/u;

function endsSentence(text: string, end: number, mark: string): boolean {
  const after = text.slice(end, end + 8);
  if (mark.startsWith('.') || mark.startsWith('\u2026')) {
    if (LOWER_CASE_NEXT.test(after)) return false;
    const isShort = endsAbbreviation(text, end) || ORDINAL.test(text.slice(Math.max(0, end - 4), end));
    if (isShort && LETTER_NEXT.test(after)) return false;
  }
  return true;
}

/** Returns the end of the sentence from `from` on, its closing marks included. */
function sentenceEnd(text: string, from: number): number {
  const paragraph = text.indexOf(PARAGRAPH, from);
  const limit = paragraph === -1 ? text.length : paragraph + 1;
  SENTENCE_END.lastIndex = from;
  for (let match = SENTENCE_END.exec(text); match !== null; match = SENTENCE_END.exec(text)) {
    const end = match.index + match[0].length;
    if (end >= limit) break;
    if (endsSentence(text, end, match[0])) return end;
  }
  return limit;
}

/** The engine drops what exceeds 1,000 sounds in one piece. A piece may be a third longer than asked for. */
const MAX_SOUNDS = 700;
/** Sounds of a digit, of a syllable of a script without spaces, and of a letter that is spelled. */
const SOUNDS_OF_UNIT = 10;
const UNIT_OF_MANY_SOUNDS = /^\p{Nd}/u;
const WORD = /\S+/gu;
const HAS_VOWEL = /[aeiouy]|(?!\p{Script=Latin})\p{L}/iu;

/** Returns how many units from `from` on the engine says in one piece; at most up to `to`. */
function speakableLength(text: string, from: number, to: number): number {
  let sounds = 0;
  for (const { 0: word, index } of text.slice(from, to).matchAll(WORD)) {
    const isSpelled = !HAS_VOWEL.test(word);
    for (let at = 0; at < word.length; at += 1) {
      const unit = word.charAt(at);
      const hasMany = isSpelled || UNIT_OF_MANY_SOUNDS.test(unit) || isUnspaced(unit);
      sounds += hasMany ? SOUNDS_OF_UNIT : 2;
      if (sounds > MAX_SOUNDS) return Math.max(1, index + at);
    }
  }
  return to - from;
}

/** The best place to cut at or before `limit`: behind a clause, a word, or at worst between two characters. */
function cutWithin(text: string, from: number, limit: number): number {
  let clause = -1;
  CLAUSE_END.lastIndex = from;
  for (let match = CLAUSE_END.exec(text); match !== null; match = CLAUSE_END.exec(text)) {
    const end = match.index + match[0].length;
    if (end > limit) break;
    clause = end;
  }
  // A clause of a word or two is no gain over cutting at a blank.
  if (clause - from >= (limit - from) / 3) return clause;
  for (let at = limit; at > from + 1; at -= 1) {
    if (LINE_END_SPACE.test(text.charAt(at))) return at;
  }
  const run = text.slice(from, limit);
  if (isUnspaced(run)) {
    const last = [...unspacedWords(run)].at(-1) ?? '';
    if (last.length < run.length) return limit - last.length;
  }
  const splitsPair = isHighSurrogate(text.charCodeAt(limit - 1));
  return splitsPair ? limit + 1 : limit;
}

const ENDS_SENTENCE = new RegExp(`[${SENTENCE_MARKS}]$`, 'u');
const ENDS_CLAUSE = new RegExp(`[${CLAUSE_MARKS}]$`, 'u');

function pauseBehind(text: string): number {
  const trimmed = text.trimEnd().replace(/["'\u0029\]\u300d\u300f\uff09]+$/u, '');
  if (text.endsWith(PARAGRAPH) || ENDS_SENTENCE.test(trimmed)) return SENTENCE_PAUSE_MS;
  if (/[:;\u2014\uff1b\uff1a]$/u.test(trimmed)) return COLON_PAUSE_MS;
  return ENDS_CLAUSE.test(trimmed) ? CLAUSE_PAUSE_MS : 0;
}

export type Piece = SpeechPiece | Silence;

/** A piece is at most a third longer than asked for, and its end depends on a few characters behind it. */
const MAX_STRETCH = 1.3;
const LOOK_AHEAD = 16;
/** More marks in a row are passed over at once. */
const LONGEST_MARKS = 100;

/** Provides a request's text piece by piece, from runs that are added as they are needed. */
export class PieceCutter {
  #runs: SpokenRun[] = [];
  #at = 0;

  add(runs: readonly SpokenRun[]): void {
    for (const run of runs) {
      const last = this.#runs.at(-1);
      if (last?.kind === 'speech' && last.isOpen && run.kind === 'speech') {
        const rest = this.#runs.length === 1 ? this.#restOf(last) : last.mapped;
        this.#runs[this.#runs.length - 1] = { ...run, mapped: joinMapped(rest, run.mapped) };
      } else this.#runs.push(run);
    }
  }

  /**
   * The next piece with something to say or a pause; undefined where the next runs are needed, or at the end.
   * @param maxLength may differ at each call
   */
  next(maxLength: number): Piece | undefined {
    for (;;) {
      const [run] = this.#runs;
      if (run === undefined) return undefined;
      if (run.kind === 'silence') {
        this.#runs.shift();
        return run;
      }
      const isShort = run.mapped.text.length - this.#at <= maxLength * MAX_STRETCH + LOOK_AHEAD;
      if (run.isOpen && isShort) return undefined;
      this.#at = Math.max(this.#at, speakableFrom(run.mapped.text, this.#at) - LONGEST_MARKS);
      const piece = this.#cut(run, maxLength);
      if (isSpeakable(piece.mapped.text)) return piece;
    }
  }

  #restOf({ mapped }: SpeechRun): MappedText {
    const rest = sliceMapped(mapped, this.#at, mapped.text.length);
    this.#at = 0;
    return rest;
  }

  #cut(run: SpeechRun, wantedLength: number): SpeechPiece {
    const { text } = run.mapped;
    const from = this.#at;
    const maxLength = Math.min(wantedLength, speakableLength(text, from, from + wantedLength));
    let end = run.spelled ? text.length : sentenceEnd(text, from);
    let cutShort = false;
    // A rest of a few letters is not worth a piece of its own.
    if (end - from > maxLength * MAX_STRETCH) {
      end = Math.max(from + 1, cutWithin(text, from, from + maxLength));
      cutShort = end < text.length;
    }
    const mapped = sliceMapped(run.mapped, from, end);
    if (end >= text.length) {
      this.#runs.shift();
      this.#at = 0;
    } else {
      this.#at = end;
    }
    const pauseMs = run.spelled ? 0 : pauseBehind(mapped.text);
    return {
      ...run,
      mapped,
      pauseMs,
      continues: cutShort && pauseMs === 0,
      sourceEnd: run.mapped.sourceAt[end] ?? run.sourceEnd,
    };
  }
}
