import type { LintMoment } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import { agrees, base64Bytes, secondsText } from '../../lint/payload.ts';
import { bytesPerSample, type KugelAudioFormat } from '../wire/audio-format.ts';
import type * as frames from '../wire/server-frames.ts';
import type { ReportTurn } from './report.ts';

/** Rules of what a server says in one turn: chunks, their audio, their words. */

type Started = z.output<typeof frames.generationStartedFrame>;
type Audio = z.output<typeof frames.audioFrame>;
type Words = z.output<typeof frames.wordTimestampsFrame>;
type Complete = z.output<typeof frames.chunkCompleteFrame>;

/** What the settings of a turn lead one to expect; null: unknown. */
export interface Expected {
  format: KugelAudioFormat;
  words: boolean;
  modelId: string;
}

/** Chunks of a turn that are remembered; words come late, but not later than this. */
const MAX_CHUNKS = 256;

interface Chunk {
  id: number;
  startedAt: LintMoment | null;
  textChars: number | null;
  /** Has something to say, so that words are to be expected. */
  hasWords: boolean;
  samples: number;
  sampleRate: number;
  complete: LintMoment | null;
  /** What was told of its length does not hold, and that was reported. */
  isDoubted: boolean;
  wordsSeen: boolean;
  lastStartMs: number;
  lastEndMs: number;
  lastCharStart: number;
  /** The word that ends last, until the length of the chunk is known. */
  lastWord: { endMs: number; at: LintMoment; path: string } | null;
}

/** What holds over the turns of one context: where its counters stand. */
export interface SpeechCounters {
  lastIdx: number;
  lastChunk: number;
}

/** One turn as the server speaks it. */
export class SpokenTurn {
  readonly #report: ReportTurn;
  readonly #counters: SpeechCounters;
  expected: Expected | null;
  readonly #chunks = new Map<number, Chunk>();
  #current: Chunk | null = null;
  #isFormatReported = false;
  /** Audio was lost or doubled, so that no sum can be checked. */
  #isIncomplete = false;
  textChunks = 0;
  audioFrames = 0;
  /** Of all audio frames. */
  seconds = 0;
  /** As told by `chunk_complete`. */
  #toldSeconds = 0;

  constructor(report: ReportTurn, counters: SpeechCounters, expected: Expected | null) {
    this.#report = report;
    this.#counters = counters;
    this.expected = expected;
  }

  get hasBegun(): boolean {
    return this.textChunks > 0 || this.audioFrames > 0;
  }

  /** Whether its figures can be held against what came. */
  get isWhole(): boolean {
    return !this.#isIncomplete;
  }

  /** Which turn this is, has become doubtful: its settings and its sums are not known. */
  doubt(): void {
    this.expected = null;
    this.#isIncomplete = true;
  }

  started(frame: Started, at: LintMoment): void {
    const before = this.#current;
    if (before && !before.complete && !before.isDoubted) {
      before.isDoubted = true;
      this.#report(
        'chunk-overlap',
        at,
        `chunk_id: expected chunk_complete of chunk ${before.id} first, got the beginning of chunk ${frame.chunk_id}`,
        before.startedAt,
      );
    }
    this.#checkChunkId(frame.chunk_id, at);
    this.textChunks += 1;
    this.#current = this.#remember(frame.chunk_id, at, frame.text);
  }

  audio(frame: Audio, at: LintMoment): void {
    const chunk = this.#chunkOf(frame.chunk_id, at);
    this.#checkIdx(frame.idx, at);
    this.#checkBytes(frame, at);
    this.#checkFormat(frame, at);
    if (chunk.complete && !chunk.isDoubted) {
      chunk.isDoubted = true;
      this.#report(
        'audio-after-chunk-complete',
        at,
        `chunk_id: expected no more audio of chunk ${chunk.id}, which was complete, got ${frame.samples} samples of it`,
        chunk.complete,
      );
    }
    this.audioFrames += 1;
    this.seconds += frame.samples / frame.sr;
    chunk.samples += frame.samples;
    chunk.sampleRate = frame.sr;
  }

  words(frame: Words, at: LintMoment): void {
    if (this.expected && !this.expected.words) {
      this.#report(
        'words-unasked',
        at,
        'word_timestamps: expected none, because they are not switched on, got some',
      );
      return;
    }
    const chunk = this.#chunkOf(frame.chunk_id, at);
    chunk.wordsSeen = true;
    frame.word_timestamps.forEach((word, place) => {
      this.#checkWord(chunk, word, `word_timestamps.${place}`, at);
    });
    if (chunk.complete) this.#checkLastWord(chunk);
  }

  complete(frame: Complete, at: LintMoment): void {
    const chunk = this.#chunkOf(frame.chunk_id, at);
    if (chunk.complete) {
      this.#report(
        'chunk-complete-twice',
        at,
        `chunk_complete: expected it once for chunk ${chunk.id}, got it again`,
        chunk.complete,
      );
      return;
    }
    chunk.complete = at;
    this.#toldSeconds += frame.audio_seconds;
    const exact = chunk.samples === 0 ? 0 : chunk.samples / chunk.sampleRate;
    if (!this.#isIncomplete && !chunk.isDoubted && !agrees(frame.audio_seconds, exact)) {
      chunk.isDoubted = true;
      if (chunk.samples === 0) {
        this.#report(
          'chunk-complete-early',
          at,
          `chunk_complete: expected ${secondsText(frame.audio_seconds)} of audio of chunk ${chunk.id} before it, got none`,
          chunk.startedAt,
        );
      } else {
        this.#report(
          'chunk-seconds',
          at,
          `audio_seconds: expected ${secondsText(exact)}, which is what came of chunk ${chunk.id}, got ${frame.audio_seconds}`,
          chunk.startedAt,
          'audio_seconds',
        );
      }
    }
    this.#checkLastWord(chunk);
  }

  /** No more audio of the turn comes, by its own end. */
  ended(at: LintMoment): void {
    const last = this.#current;
    if (last && !last.complete && !last.isDoubted) {
      this.#report(
        'chunk-complete-missing',
        at,
        `expected chunk_complete of chunk ${last.id} before the end of its turn, got none`,
        last.startedAt,
      );
    }
  }

  /** Nothing more of the turn comes, not even what may be late. */
  over(at: LintMoment): void {
    if (!this.expected?.words) return;
    for (const chunk of this.#chunks.values()) {
      if (chunk.wordsSeen || !chunk.hasWords || chunk.samples === 0) continue;
      this.#report(
        'words-missing',
        chunk.startedAt ?? at,
        `expected word timings of chunk ${chunk.id} before the end of its turn, got none`,
        at,
        undefined,
        at.atUs,
      );
    }
  }

  /** Holds a total of the turn against what came. */
  checkSeconds(id: 'total-seconds' | 'usage-seconds', told: number, path: string, at: LintMoment): void {
    if (this.#isIncomplete || agrees(told, this.seconds) || agrees(told, this.#toldSeconds)) return;
    this.#report(
      id,
      at,
      `${path}: expected ${secondsText(this.seconds)}, which is what came, got ${told}`,
      null,
      path,
    );
  }

  checkCount(
    id: 'total-chunks' | 'total-audio-frames',
    told: number,
    exact: number,
    path: string,
    at: LintMoment,
  ): void {
    if (this.#isIncomplete || told === exact) return;
    this.#report(id, at, `${path}: expected ${exact}, which is what came, got ${told}`, null, path);
  }

  #remember(id: number, at: LintMoment | null, text: string | null): Chunk {
    const chunk: Chunk = {
      id,
      startedAt: at,
      textChars: text?.length ?? null,
      hasWords: text !== null && /[\p{L}\p{N}]/u.test(text.replace(/<[^>]*>/g, ' ')),
      samples: 0,
      sampleRate: 1,
      complete: null,
      isDoubted: false,
      wordsSeen: false,
      lastStartMs: 0,
      lastEndMs: 0,
      lastCharStart: 0,
      lastWord: null,
    };
    this.#chunks.delete(id);
    this.#chunks.set(id, chunk);
    if (this.#chunks.size > MAX_CHUNKS) {
      const [oldest] = this.#chunks.keys();
      if (oldest !== undefined) this.#chunks.delete(oldest);
    }
    return chunk;
  }

  #chunkOf(id: number, at: LintMoment): Chunk {
    const known = this.#chunks.get(id);
    if (known) return known;
    this.#report(
      'generation-started-missing',
      at,
      `chunk_id: expected generation_started of chunk ${id} first, got a frame of it`,
      null,
      'chunk_id',
    );
    const chunk = this.#remember(id, null, null);
    chunk.isDoubted = true;
    this.#counters.lastChunk = id;
    return chunk;
  }

  /** Counted by turn; a server that counts over all of its turns is followed too. */
  #checkChunkId(id: number, at: LintMoment): void {
    const { lastChunk } = this.#counters;
    this.#counters.lastChunk = id;
    const first = this.textChunks === 0;
    if (id === lastChunk + 1 || (first && id === 0)) return;
    if (this.#chunks.has(id) && this.#chunks.get(id)?.startedAt === null) return;
    const wanted = first ? 0 : lastChunk + 1;
    this.#report('chunk-order', at, `chunk_id: expected ${wanted}, got ${id}`, null, 'chunk_id');
  }

  /** Counted by turn, by chunk or over all turns: where it begins anew is documented nowhere (`facts 1.5`). */
  #checkIdx(idx: number, at: LintMoment): void {
    const { lastIdx } = this.#counters;
    const mayBeginAnew = this.audioFrames === 0 || this.#current?.samples === 0;
    if (idx === lastIdx + 1 || (mayBeginAnew && idx === 0)) {
      this.#counters.lastIdx = idx;
      return;
    }
    this.#isIncomplete = true;
    const wanted = this.audioFrames === 0 ? 0 : lastIdx + 1;
    const repeats = idx < wanted;
    if (!repeats) this.#counters.lastIdx = idx;
    this.#report(
      repeats ? 'idx-repeat' : 'idx-gap',
      at,
      repeats
        ? `idx: expected ${wanted}, got ${idx}, which was there before`
        : `idx: expected ${wanted}, got ${idx}; ${idx - wanted} missing`,
      null,
      'idx',
    );
  }

  #checkBytes(frame: Audio, at: LintMoment): void {
    const bytes = base64Bytes(frame.audio);
    if (bytes === null) {
      this.#report('audio-base64', at, 'audio: expected base64, got something else', null, 'audio');
      return;
    }
    const wanted = frame.samples * bytesPerSample(frame.enc);
    if (bytes === wanted) return;
    this.#report(
      'samples-bytes',
      at,
      `samples: expected ${bytes / bytesPerSample(frame.enc)} for ${bytes} bytes of ${frame.enc}, got ${frame.samples}`,
      null,
      'samples',
    );
  }

  #checkFormat(frame: Audio, at: LintMoment): void {
    if (!this.expected || this.#isFormatReported) return;
    const { encoding, sampleRate } = this.expected.format;
    if (frame.enc !== encoding) {
      this.#isFormatReported = true;
      this.#report('wrong-codec', at, `enc: expected ${encoding}, got ${frame.enc}`, null, 'enc');
    } else if (frame.sr !== sampleRate) {
      this.#isFormatReported = true;
      this.#report('wrong-rate', at, `sr: expected ${sampleRate}, got ${frame.sr}`, null, 'sr');
    }
  }

  #checkWord(chunk: Chunk, word: Words['word_timestamps'][number], path: string, at: LintMoment): void {
    const [startMs, endMs] =
      'start_ms' in word ? [word.start_ms, word.end_ms] : [word.start * 1000, word.end * 1000];
    if (endMs < startMs) {
      this.#report(
        'word-ends-early',
        at,
        `${path}: expected an end from ${startMs} ms on, got ${endMs}`,
        null,
        path,
      );
    } else if (startMs < chunk.lastStartMs) {
      this.#report(
        'words-backwards',
        at,
        `${path}: expected a start from ${chunk.lastStartMs} ms on, got ${startMs}`,
        null,
        path,
      );
    } else if (startMs < chunk.lastEndMs) {
      this.#report(
        'words-overlap',
        at,
        `${path}: expected a start from ${chunk.lastEndMs} ms on, where the word before it ends, got ${startMs}`,
        null,
        path,
      );
    }
    chunk.lastStartMs = startMs;
    chunk.lastEndMs = Math.max(startMs, endMs);
    if (!chunk.lastWord || endMs > chunk.lastWord.endMs) chunk.lastWord = { endMs, at, path };
    if ('char_start' in word) this.#checkOffsets(chunk, word.char_start, word.char_end, path, at);
  }

  #checkOffsets(chunk: Chunk, start: number, end: number, path: string, at: LintMoment): void {
    if (start < chunk.lastCharStart || end < start) {
      this.#report(
        'word-offsets-backwards',
        at,
        end < start
          ? `${path}.char_end: expected ${start} or more, got ${end}`
          : `${path}.char_start: expected ${chunk.lastCharStart} or more, got ${start}`,
        null,
        path,
      );
    } else if (chunk.textChars !== null && end > chunk.textChars) {
      this.#report(
        'word-offsets',
        at,
        `${path}.char_end: expected at most ${chunk.textChars}, the length of the chunk's text, got ${end}`,
        chunk.startedAt,
        path,
      );
    }
    chunk.lastCharStart = start;
  }

  /** Once the length of the chunk is known. */
  #checkLastWord(chunk: Chunk): void {
    const word = chunk.lastWord;
    if (!word || chunk.isDoubted || this.#isIncomplete) return;
    chunk.lastWord = null;
    const chunkMs = (chunk.samples / chunk.sampleRate) * 1000;
    // Both may be rounded to whole milliseconds.
    if (word.endMs <= chunkMs + 1) return;
    this.#report(
      'words-beyond-chunk',
      word.at,
      `${word.path}: expected an end within the ${Math.round(chunkMs)} ms of chunk ${chunk.id}, got ${word.endMs}`,
      chunk.complete,
      word.path,
      Math.max(word.at.atUs, chunk.complete?.atUs ?? 0),
    );
  }
}
