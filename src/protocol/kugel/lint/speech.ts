import { remember } from '#lib/collections/maps.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { LintMoment } from '../../core/rule.ts';
import { hasWords } from '../../core/text-words.ts';
import { Check, type CheckWorld } from '../../lint/check.ts';
import { audioBytes } from '../../lint/message.ts';
import { agrees, secondsText } from '../../lint/payload.ts';
import type { TotalsFields } from '../wire/decode.ts';
import type { KugelFrame } from '../wire/server-frames.ts';
import type { KugelAudioFormat } from '../wire/settings.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of the speech of one turn: chunks, their audio, their words. */

type Word = KugelFrame<'word_timestamps'>['word_timestamps'][number];

/** The fields of any end of a turn, also of the only one on `/ws/tts`. */
export type EndFields = TotalsFields &
  Pick<KugelFrame<'final'>, 'chunks' | 'total_samples' | 'dur_ms' | 'usage'>;

/** Seconds of a total in ms. */
export const inSeconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : ms / 1000;

/** The speech that the settings of a turn request. */
export interface TurnExpectation {
  format: KugelAudioFormat;
  words: boolean;
  modelId: string;
}

/** Limits the remembered chunks of a turn. Late words refer to recent chunks only. */
const MAX_CHUNKS = 256;

/** @param startedAt null where no frame reported its start */
const newChunk = (id: number, startedAt: LintMoment | null, text: string | null, hasWords: boolean) => ({
  id,
  startedAt,
  textChars: text?.length ?? null,
  /** The text has words, so word timings are due. */
  hasWords,
  samples: 0,
  sampleRate: 1,
  complete: null as LintMoment | null,
  /** Its reported length is wrong, which was reported. */
  isDoubted: false,
  wordsSeen: false,
  lastStartMs: 0,
  lastEndMs: 0,
  lastCharStart: 0,
  /** The word with the last end, until the length of the chunk is known. */
  lastWord: null as { endMs: number; at: LintMoment; path: string } | null,
});

type Chunk = ReturnType<typeof newChunk>;

/** Counters that continue over the turns of one context. */
export interface SpeechCounters {
  lastIdx: number;
  lastChunk: number;
}

/** The speech of one turn. */
export class SpokenTurn extends Check<KugelRuleId> {
  readonly #counters: SpeechCounters;
  expected: TurnExpectation | null;
  readonly #chunks = new Map<number, Chunk>();
  #current: Chunk | null = null;
  #isFormatReported = false;
  /** False once audio was lost or repeated, so that its figures cannot be compared with the received audio. */
  isWhole = true;
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
    world: CheckWorld<KugelRuleId>,
    context: string | null,
    counters: SpeechCounters,
    expected: TurnExpectation | null,
  ) {
    super(world, context);
    this.#counters = counters;
    this.expected = expected;
  }

  get hasBegun(): boolean {
    return this.textChunks > 0 || this.audioFrames > 0;
  }

  /** The identity of the turn is uncertain, so its settings and sums are unknown. */
  doubt(): void {
    this.expected = null;
    this.isWhole = false;
  }

  /** @param frame its text is null for a chunk that only its first frame shows */
  started(frame: { chunk_id: number; text: string | null }): void {
    if (this.unannounced !== null) this.#completeCurrent();
    const before = this.#current;
    if (before && !before.complete && !before.isDoubted) {
      before.isDoubted = true;
      const message = `chunk_id: expected chunk_complete of chunk ${before.id} first, got the beginning of chunk ${frame.chunk_id}`;
      this.report('chunk-overlap', message, { related: before.startedAt });
    }
    this.#checkChunkId(frame.chunk_id);
    this.textChunks += 1;
    this.#current = this.#remember(frame.chunk_id, this.now, frame.text);
  }

  audio(frame: KugelFrame<'audio'>): void {
    const chunk = this.#chunkOf(frame.chunk_id);
    this.#checkIdx(frame.idx);
    this.#checkBytes(frame);
    this.#checkFormat(frame);
    if (chunk.complete && !chunk.isDoubted) {
      chunk.isDoubted = true;
      const message = `chunk_id: expected no more audio of chunk ${chunk.id}, which was complete, got ${frame.samples} samples of it`;
      this.report('audio-after-chunk-complete', message, { related: chunk.complete });
    }
    this.audioFrames += 1;
    this.samples += frame.samples;
    this.seconds += frame.samples / frame.sr;
    chunk.samples += frame.samples;
    chunk.sampleRate = frame.sr;
  }

  words(frame: KugelFrame<'word_timestamps'>): void {
    if (this.expected && !this.expected.words) {
      const message = 'word_timestamps: expected none, because they are not switched on, got some';
      this.report('words-unasked', message);
      return;
    }
    const chunk = this.#chunkOf(frame.chunk_id);
    chunk.wordsSeen = true;
    frame.word_timestamps.forEach((word, place) => {
      this.#checkWord(chunk, word, `word_timestamps.${place}`);
    });
    if (chunk.complete) this.#checkLastWord(chunk);
  }

  complete(frame: KugelFrame<'chunk_complete'>): void {
    const chunk = this.#chunkOf(frame.chunk_id);
    if (chunk.complete) {
      const message = `chunk_complete: expected it once for chunk ${chunk.id}, got it again`;
      this.report('chunk-complete-twice', message, { related: chunk.complete });
      return;
    }
    chunk.complete = this.now;
    this.#statedSeconds += frame.audio_seconds;
    const exact = chunk.samples === 0 ? 0 : chunk.samples / chunk.sampleRate;
    if (this.isWhole && !chunk.isDoubted && !agrees(frame.audio_seconds, exact)) {
      chunk.isDoubted = true;
      if (chunk.samples === 0) {
        const message = `chunk_complete: expected ${secondsText(frame.audio_seconds)} of audio of chunk ${chunk.id} before it, got none`;
        this.report('chunk-complete-early', message, { related: chunk.startedAt });
      } else {
        const message = `expected ${secondsText(exact)}, as received of chunk ${chunk.id}, got ${frame.audio_seconds}`;
        this.report('chunk-seconds', message, { field: 'audio_seconds', related: chunk.startedAt });
      }
    }
    this.#checkLastWord(chunk);
  }

  /** The server ended the audio of the turn. */
  ended(): void {
    if (this.unannounced !== null) this.#completeCurrent();
    const last = this.#current;
    if (last && !last.complete && !last.isDoubted) {
      const message = `expected chunk_complete of chunk ${last.id} before the end of its turn, got none`;
      this.report('chunk-complete-missing', message, { related: last.startedAt });
    }
  }

  /** No frame of the turn follows, not even late words. */
  over(): void {
    if (!this.expected?.words) return;
    for (const chunk of this.#chunks.values()) {
      if (chunk.wordsSeen || !chunk.hasWords || chunk.samples === 0) continue;
      const message = `expected word timings of chunk ${chunk.id} before the end of its turn, got none`;
      this.report('words-missing', message, { at: chunk.startedAt, related: this.now });
    }
  }

  /** Compares the totals of an end of the turn with the received speech. */
  checkTotals(frame: EndFields): void {
    this.checkSeconds('total-seconds', 'total_audio_seconds', frame.total_audio_seconds);
    this.checkSeconds('total-seconds', 'dur_ms', inSeconds(frame.dur_ms));
    const counts = [
      ['total-seconds', 'total_samples', this.samples],
      ['total-chunks', 'total_text_chunks', this.textChunks],
      ['total-audio-frames', 'total_audio_chunks', this.audioFrames],
      ['total-audio-frames', 'chunks', this.audioFrames],
    ] as const;
    for (const [id, field, exact] of counts) {
      const told = frame[field];
      if (told === undefined || !this.isWhole || told === exact) continue;
      this.report(id, `expected ${exact}, as received, got ${told}`, field);
    }
  }

  checkSeconds(id: 'total-seconds' | 'usage-seconds', field: string, told: number | undefined): void {
    if (told === undefined || !this.isWhole) return;
    if (agrees(told, this.seconds) || agrees(told, this.#statedSeconds)) return;
    this.report(id, `expected ${secondsText(this.seconds)}, as received, got ${told}`, field);
  }

  #remember(id: number, startedAt: LintMoment | null, text: string | null): Chunk {
    // Only the first chunk of an unannounced text surely begins with it.
    const known = text ?? (this.#chunks.size === 0 ? this.unannounced : null) ?? '';
    const chunk = newChunk(id, startedAt, text, hasWords(known));
    remember(this.#chunks, id, chunk, MAX_CHUNKS);
    return chunk;
  }

  #chunkOf(id: number): Chunk {
    const known = this.#chunks.get(id);
    if (known) return known;
    if (this.unannounced !== null) {
      this.started({ chunk_id: id, text: null });
      return this.#chunkOf(id);
    }
    const message = `expected generation_started of chunk ${id} first, got a frame of it`;
    this.report('generation-started-missing', message, 'chunk_id');
    const chunk = this.#remember(id, null, null);
    chunk.isDoubted = true;
    this.#counters.lastChunk = id;
    return chunk;
  }

  #completeCurrent(): void {
    if (!this.#current) return;
    this.#current.complete ??= this.now;
    this.#checkLastWord(this.#current);
  }

  /** Counted by turn. A server may also count over all of its turns. */
  #checkChunkId(id: number): void {
    const { lastChunk } = this.#counters;
    this.#counters.lastChunk = id;
    const first = this.textChunks === 0;
    if (id === lastChunk + 1 || (first && id === 0)) return;
    if (this.#chunks.has(id) && this.#chunks.get(id)?.startedAt === null) return;
    const wanted = first ? 0 : lastChunk + 1;
    this.report('chunk-order', `expected ${wanted}, got ${id}`, 'chunk_id');
  }

  /** Counted by turn, by chunk or over all turns, because the documentation does not say which (kugel-audio-8). */
  #checkIdx(idx: number): void {
    const { lastIdx } = this.#counters;
    const mayBeginAnew = this.audioFrames === 0 || this.#current?.samples === 0;
    if (idx === lastIdx + 1 || (mayBeginAnew && idx === 0)) {
      this.#counters.lastIdx = idx;
      return;
    }
    this.isWhole = false;
    const wanted = this.audioFrames === 0 ? 0 : lastIdx + 1;
    const repeats = idx < wanted;
    if (!repeats) this.#counters.lastIdx = idx;
    const found = repeats ? `${idx}, which was there before` : `${idx}; ${idx - wanted} missing`;
    this.report(repeats ? 'idx-repeat' : 'idx-gap', `expected ${wanted}, got ${found}`, 'idx');
  }

  #checkBytes(frame: KugelFrame<'audio'>): void {
    const bytes = audioBytes(frame.audio, 'audio', this);
    const { bytesPerSample } = AUDIO_ENCODINGS[frame.enc];
    if (bytes === null || bytes === frame.samples * bytesPerSample) return;
    const message = `expected ${bytes / bytesPerSample} for ${bytes} bytes of ${frame.enc}, got ${frame.samples}`;
    this.report('samples-bytes', message, 'samples');
  }

  #checkFormat(frame: KugelFrame<'audio'>): void {
    if (!this.expected || this.#isFormatReported) return;
    const { encoding, sampleRate } = this.expected.format;
    if (frame.enc !== encoding) {
      this.#isFormatReported = true;
      this.report('wrong-codec', `expected ${encoding}, got ${frame.enc}`, 'enc');
    } else if (frame.sr !== sampleRate) {
      this.#isFormatReported = true;
      this.report('wrong-rate', `expected ${sampleRate}, got ${frame.sr}`, 'sr');
    }
  }

  #checkWord(chunk: Chunk, word: Word, path: string): void {
    const [startMs, endMs] =
      'start_ms' in word ? [word.start_ms, word.end_ms] : [word.start * 1000, word.end * 1000];
    if (endMs < startMs) {
      this.report('word-ends-early', `expected an end from ${startMs} ms on, got ${endMs}`, path);
    } else if (startMs < chunk.lastStartMs) {
      const message = `expected a start from ${chunk.lastStartMs} ms on, got ${startMs}`;
      this.report('words-backwards', message, path);
    } else if (startMs < chunk.lastEndMs) {
      const message = `expected a start from ${chunk.lastEndMs} ms on, where the word before it ends, got ${startMs}`;
      this.report('words-overlap', message, path);
    }
    chunk.lastStartMs = startMs;
    chunk.lastEndMs = Math.max(startMs, endMs);
    if (!chunk.lastWord || endMs > chunk.lastWord.endMs) chunk.lastWord = { endMs, at: this.now, path };
    if ('char_start' in word) this.#checkOffsets(chunk, word.char_start, word.char_end, path);
  }

  #checkOffsets(chunk: Chunk, start: number, end: number, path: string): void {
    if (start < chunk.lastCharStart || end < start) {
      const message =
        end < start
          ? `${path}.char_end: expected ${start} or more, got ${end}`
          : `${path}.char_start: expected ${chunk.lastCharStart} or more, got ${start}`;
      this.report('word-offsets-backwards', message, { path });
    } else if (chunk.textChars !== null && end > chunk.textChars) {
      const message = `${path}.char_end: expected at most ${chunk.textChars}, the length of the chunk's text, got ${end}`;
      this.report('word-offsets', message, { path, related: chunk.startedAt });
    }
    chunk.lastCharStart = start;
  }

  /** Runs once the length of the chunk is known. */
  #checkLastWord(chunk: Chunk): void {
    const word = chunk.lastWord;
    if (!word || chunk.isDoubted || !this.isWhole) return;
    chunk.lastWord = null;
    const chunkMs = (chunk.samples / chunk.sampleRate) * 1000;
    // Both may be rounded to whole milliseconds.
    if (word.endMs <= chunkMs + 1) return;
    const message = `expected an end within the ${Math.round(chunkMs)} ms of chunk ${chunk.id}, got ${word.endMs}`;
    const details = { at: word.at, field: word.path, related: chunk.complete };
    this.report('words-beyond-chunk', message, details);
  }
}
