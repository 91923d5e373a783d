import { remember } from '#lib/collections/maps.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { LintMoment } from '../../core/rule.ts';
import { hasWords } from '../../core/tags.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { agrees, base64Bytes, secondsText } from '../../lint/payload.ts';
import type { KugelAudioFormat } from '../wire/audio-format.ts';
import type { KugelFrame } from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of the speech of one turn: chunks, their audio, their words. */

type Word = KugelFrame<'word_timestamps'>['word_timestamps'][number];

/** A figure of the server, which may be missing. */
type Reported = number | undefined;

/** The speech that the settings of a turn request. */
export interface TurnExpectation {
  format: KugelAudioFormat;
  words: boolean;
  modelId: string;
}

/** Limits the remembered chunks of a turn. Late words refer to recent chunks only. */
const MAX_CHUNKS = 256;

interface Chunk {
  id: number;
  startedAt: LintMoment | null;
  textChars: number | null;
  /** The text has words, so word timings are due. */
  hasWords: boolean;
  samples: number;
  sampleRate: number;
  complete: LintMoment | null;
  /** Its reported length is wrong, which was reported. */
  isDoubted: boolean;
  wordsSeen: boolean;
  lastStartMs: number;
  lastEndMs: number;
  lastCharStart: number;
  /** The word with the last end, until the length of the chunk is known. */
  lastWord: { endMs: number; at: LintMoment; path: string } | null;
}

/** Counters that continue over the turns of one context. */
export interface SpeechCounters {
  lastIdx: number;
  lastChunk: number;
}

/** The speech of one turn. */
export class SpokenTurn {
  readonly #report: ReportFinding<KugelRuleId>;
  readonly #counters: SpeechCounters;
  expected: TurnExpectation | null;
  readonly #chunks = new Map<number, Chunk>();
  #current: Chunk | null = null;
  #isFormatReported = false;
  /** Audio was lost or repeated, so sums are unknown. */
  #isIncomplete = false;
  /** The text of the turn where no frame reports the start and the end of a chunk. */
  unannounced: string | null = null;
  textChunks = 0;
  audioFrames = 0;
  samples = 0;
  /** Of all audio frames. */
  seconds = 0;
  /** By `chunk_complete`. */
  #statedSeconds = 0;

  constructor(
    report: ReportFinding<KugelRuleId>,
    counters: SpeechCounters,
    expected: TurnExpectation | null,
  ) {
    this.#report = report;
    this.#counters = counters;
    this.expected = expected;
  }

  get hasBegun(): boolean {
    return this.textChunks > 0 || this.audioFrames > 0;
  }

  /** Whether its figures can be compared with the received audio. */
  get isWhole(): boolean {
    return !this.#isIncomplete;
  }

  /** The identity of the turn is uncertain, so its settings and sums are unknown. */
  doubt(): void {
    this.expected = null;
    this.#isIncomplete = true;
  }

  /** @param frame its text is null for a chunk that only its first frame shows */
  started(frame: { chunk_id: number; text: string | null }, at: LintMoment): void {
    if (this.unannounced !== null) this.#completeCurrent(at);
    const before = this.#current;
    if (before && !before.complete && !before.isDoubted) {
      before.isDoubted = true;
      const message = `chunk_id: expected chunk_complete of chunk ${before.id} first, got the beginning of chunk ${frame.chunk_id}`;
      this.#report('chunk-overlap', at, message, { related: before.startedAt });
    }
    this.#checkChunkId(frame.chunk_id, at);
    this.textChunks += 1;
    this.#current = this.#remember(frame.chunk_id, at, frame.text);
  }

  audio(frame: KugelFrame<'audio'>, at: LintMoment): void {
    const chunk = this.#chunkOf(frame.chunk_id, at);
    this.#checkIdx(frame.idx, at);
    this.#checkBytes(frame, at);
    this.#checkFormat(frame, at);
    if (chunk.complete && !chunk.isDoubted) {
      chunk.isDoubted = true;
      const message = `chunk_id: expected no more audio of chunk ${chunk.id}, which was complete, got ${frame.samples} samples of it`;
      this.#report('audio-after-chunk-complete', at, message, { related: chunk.complete });
    }
    this.audioFrames += 1;
    this.samples += frame.samples;
    this.seconds += frame.samples / frame.sr;
    chunk.samples += frame.samples;
    chunk.sampleRate = frame.sr;
  }

  words(frame: KugelFrame<'word_timestamps'>, at: LintMoment): void {
    if (this.expected && !this.expected.words) {
      const message = 'word_timestamps: expected none, because they are not switched on, got some';
      this.#report('words-unasked', at, message);
      return;
    }
    const chunk = this.#chunkOf(frame.chunk_id, at);
    chunk.wordsSeen = true;
    frame.word_timestamps.forEach((word, place) => {
      this.#checkWord(chunk, word, `word_timestamps.${place}`, at);
    });
    if (chunk.complete) this.#checkLastWord(chunk);
  }

  complete(frame: KugelFrame<'chunk_complete'>, at: LintMoment): void {
    const chunk = this.#chunkOf(frame.chunk_id, at);
    if (chunk.complete) {
      const message = `chunk_complete: expected it once for chunk ${chunk.id}, got it again`;
      this.#report('chunk-complete-twice', at, message, { related: chunk.complete });
      return;
    }
    chunk.complete = at;
    this.#statedSeconds += frame.audio_seconds;
    const exact = chunk.samples === 0 ? 0 : chunk.samples / chunk.sampleRate;
    if (!this.#isIncomplete && !chunk.isDoubted && !agrees(frame.audio_seconds, exact)) {
      chunk.isDoubted = true;
      if (chunk.samples === 0) {
        const message = `chunk_complete: expected ${secondsText(frame.audio_seconds)} of audio of chunk ${chunk.id} before it, got none`;
        this.#report('chunk-complete-early', at, message, { related: chunk.startedAt });
      } else {
        const message = `expected ${secondsText(exact)}, which is what came of chunk ${chunk.id}, got ${frame.audio_seconds}`;
        this.#report('chunk-seconds', at, message, { field: 'audio_seconds', related: chunk.startedAt });
      }
    }
    this.#checkLastWord(chunk);
  }

  /** The server ended the audio of the turn. */
  ended(at: LintMoment): void {
    if (this.unannounced !== null) this.#completeCurrent(at);
    const last = this.#current;
    if (last && !last.complete && !last.isDoubted) {
      const message = `expected chunk_complete of chunk ${last.id} before the end of its turn, got none`;
      this.#report('chunk-complete-missing', at, message, { related: last.startedAt });
    }
  }

  /** No frame of the turn follows, not even late words. */
  over(at: LintMoment): void {
    if (!this.expected?.words) return;
    for (const chunk of this.#chunks.values()) {
      if (chunk.wordsSeen || !chunk.hasWords || chunk.samples === 0) continue;
      const message = `expected word timings of chunk ${chunk.id} before the end of its turn, got none`;
      this.#report('words-missing', chunk.startedAt ?? at, message, { related: at, atUs: at.atUs });
    }
  }

  /** Compares a total of the turn with the received audio. */
  checkSeconds(id: 'total-seconds' | 'usage-seconds', told: Reported, path: string, at: LintMoment): void {
    if (
      told === undefined ||
      this.#isIncomplete ||
      agrees(told, this.seconds) ||
      agrees(told, this.#statedSeconds)
    )
      return;
    this.#report(id, at, `expected ${secondsText(this.seconds)}, which is what came, got ${told}`, path);
  }

  checkCount(
    id: 'total-chunks' | 'total-audio-frames' | 'total-seconds',
    told: Reported,
    exact: number,
    path: string,
    at: LintMoment,
  ): void {
    if (told === undefined || this.#isIncomplete || told === exact) return;
    this.#report(id, at, `expected ${exact}, which is what came, got ${told}`, path);
  }

  #remember(id: number, at: LintMoment | null, text: string | null): Chunk {
    const chunk: Chunk = {
      id,
      startedAt: at,
      textChars: text?.length ?? null,
      // Only the first chunk of an unannounced text surely begins with it.
      hasWords: hasWords(text ?? (this.#chunks.size === 0 ? this.unannounced : null) ?? ''),
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
    remember(this.#chunks, id, chunk, MAX_CHUNKS);
    return chunk;
  }

  #chunkOf(id: number, at: LintMoment): Chunk {
    const known = this.#chunks.get(id);
    if (known) return known;
    if (this.unannounced !== null) {
      this.started({ chunk_id: id, text: null }, at);
      return this.#chunkOf(id, at);
    }
    const message = `expected generation_started of chunk ${id} first, got a frame of it`;
    this.#report('generation-started-missing', at, message, 'chunk_id');
    const chunk = this.#remember(id, null, null);
    chunk.isDoubted = true;
    this.#counters.lastChunk = id;
    return chunk;
  }

  #completeCurrent(at: LintMoment): void {
    if (!this.#current) return;
    this.#current.complete ??= at;
    this.#checkLastWord(this.#current);
  }

  /** Counted by turn. A server may also count over all of its turns. */
  #checkChunkId(id: number, at: LintMoment): void {
    const { lastChunk } = this.#counters;
    this.#counters.lastChunk = id;
    const first = this.textChunks === 0;
    if (id === lastChunk + 1 || (first && id === 0)) return;
    if (this.#chunks.has(id) && this.#chunks.get(id)?.startedAt === null) return;
    const wanted = first ? 0 : lastChunk + 1;
    this.#report('chunk-order', at, `expected ${wanted}, got ${id}`, 'chunk_id');
  }

  /** Counted by turn, by chunk or over all turns, because the documentation does not say which (`facts 1.5`). */
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
        ? `expected ${wanted}, got ${idx}, which was there before`
        : `expected ${wanted}, got ${idx}; ${idx - wanted} missing`,
      { field: 'idx' },
    );
  }

  #checkBytes(frame: KugelFrame<'audio'>, at: LintMoment): void {
    const bytes = base64Bytes(frame.audio);
    if (bytes === null) {
      this.#report('audio-base64', at, 'expected base64, got something else', 'audio');
      return;
    }
    const { bytesPerSample } = AUDIO_ENCODINGS[frame.enc];
    const wanted = frame.samples * bytesPerSample;
    if (bytes === wanted) return;
    const message = `expected ${bytes / bytesPerSample} for ${bytes} bytes of ${frame.enc}, got ${frame.samples}`;
    this.#report('samples-bytes', at, message, 'samples');
  }

  #checkFormat(frame: KugelFrame<'audio'>, at: LintMoment): void {
    if (!this.expected || this.#isFormatReported) return;
    const { encoding, sampleRate } = this.expected.format;
    if (frame.enc !== encoding) {
      this.#isFormatReported = true;
      this.#report('wrong-codec', at, `expected ${encoding}, got ${frame.enc}`, 'enc');
    } else if (frame.sr !== sampleRate) {
      this.#isFormatReported = true;
      this.#report('wrong-rate', at, `expected ${sampleRate}, got ${frame.sr}`, 'sr');
    }
  }

  #checkWord(chunk: Chunk, word: Word, path: string, at: LintMoment): void {
    const [startMs, endMs] =
      'start_ms' in word ? [word.start_ms, word.end_ms] : [word.start * 1000, word.end * 1000];
    if (endMs < startMs) {
      this.#report('word-ends-early', at, `expected an end from ${startMs} ms on, got ${endMs}`, path);
    } else if (startMs < chunk.lastStartMs) {
      const message = `expected a start from ${chunk.lastStartMs} ms on, got ${startMs}`;
      this.#report('words-backwards', at, message, path);
    } else if (startMs < chunk.lastEndMs) {
      const message = `expected a start from ${chunk.lastEndMs} ms on, where the word before it ends, got ${startMs}`;
      this.#report('words-overlap', at, message, path);
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
        { path },
      );
    } else if (chunk.textChars !== null && end > chunk.textChars) {
      const message = `${path}.char_end: expected at most ${chunk.textChars}, the length of the chunk's text, got ${end}`;
      this.#report('word-offsets', at, message, { path, related: chunk.startedAt });
    }
    chunk.lastCharStart = start;
  }

  /** Runs once the length of the chunk is known. */
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
      `expected an end within the ${Math.round(chunkMs)} ms of chunk ${chunk.id}, got ${word.endMs}`,
      { field: word.path, related: chunk.complete, atUs: Math.max(word.at.atUs, chunk.complete?.atUs ?? 0) },
    );
  }
}
