import { SortedValues } from '#lib/statistics/percentiles.ts';
import type { AudioEvent, SpeechEvent, Usage } from '#protocol/core/speech-event.ts';
import { type Chunk, Chunks, firstChars, keptUsage, type TurnLimits } from './chunks.ts';
import { LineTurn } from './line-turn.ts';
import { type GapStatistics, gapStatistics } from './speed.ts';
import type { TurnEnd } from './turn-state.ts';

/** An audio frame whose samples are known. */
export interface DecodedFrame extends Pick<AudioEvent, 'chunk' | 'sampleRate'> {
  /** Samples that it added to the turn. */
  samples: number;
  arrivedMs: number;
}

/** A chunk text is searched this far ahead. */
const AHEAD_CHARS = 20_000;

/** Finds when the text of a chunk was sent. Servers rewrite text, so unknown text counts by length. */
class SentText {
  #text = '';
  readonly #pieces: { end: number; atMs: number }[] = [];
  /** Start of the next chunk's text, and its piece. */
  #cursor = 0;
  #piece = 0;

  get text(): string {
    return this.#text;
  }

  add(text: string, atMs: number): void {
    this.#text += text;
    this.#pieces.push({ end: this.#text.length, atMs });
  }

  /** Returns when the last text of the next chunk was sent; null before anything was. */
  claim(chunkText: string): number | null {
    const wanted = chunkText.trim();
    const found = this.#text.slice(this.#cursor, this.#cursor + AHEAD_CHARS + wanted.length).indexOf(wanted);
    this.#cursor = Math.min(this.#text.length, this.#cursor + Math.max(0, found) + wanted.length);
    while (this.#piece < this.#pieces.length - 1 && (this.#pieces[this.#piece]?.end ?? 0) < this.#cursor) {
      this.#piece += 1;
    }
    return this.#pieces[this.#piece]?.atMs ?? null;
  }

  /** Forgets all but the first characters. Nothing more is sent or claimed. */
  condense(chars: number): void {
    this.#text = firstChars(this.#text, chars);
    this.#pieces.length = 0;
  }
}

/**
 * What the wire says of a turn, live and recorded: its text and when it was sent, its chunks, their words and times, how many
 * samples they have, an end that the server names, and its bill. Samples count from the turn's first. Fields without a comment are explained in `TurnView`.
 */
export class Turn extends LineTurn {
  sampleRate: number | null = null;
  samples = 0;
  audioFrames = 0;
  /** When its first text was sent. */
  firstTextMs: number | null = null;
  /** When its first audio frame arrived. */
  firstAudioMs: number | null = null;
  #lastAudioMs: number | null = null;
  readonly #gapsMs = new SortedValues();
  endedMs: number | null = null;
  /** The server's bill of it; null for none so far. */
  bill: Usage | null = null;
  protected readonly placedChunks: Chunks;
  readonly #sentText = new SentText();

  constructor(id: number, context: string, limits: TurnLimits) {
    super(id, context);
    this.placedChunks = new Chunks(limits);
  }

  /** All text of it that was sent, in its frames' order. */
  get sentText(): string {
    return this.#sentText.text;
  }

  /** The times between its audio frames; null for fewer than two. */
  get gaps(): GapStatistics | null {
    return gapStatistics(this.#gapsMs);
  }

  /** In the order of their first frames. */
  get chunks(): readonly Readonly<Chunk>[] {
    return this.placedChunks.list;
  }

  get isCondensed(): boolean {
    return this.placedChunks.isCondensed;
  }

  override get hasChunks(): boolean {
    return this.chunks.length > 0;
  }

  override hasUntimedChunk(id: number): boolean {
    return !this.isCondensed && this.placedChunks.find(id)?.wordsMs === null;
  }

  /** It has the chunks themselves. */
  protected override noteChunk(): void {}

  protected override textSent(text: string, atMs: number): void {
    super.textSent(text, atMs);
    this.#sentText.add(text, atMs);
    this.firstTextMs ??= atMs;
  }

  override end(state: TurnEnd, atMs: number): void {
    if (this.isOver) return;
    super.end(state, atMs);
    this.endedMs = atMs;
  }

  override revive(): void {
    super.revive();
    this.endedMs = null;
    this.bill = null;
  }

  /** @returns whether it changed; audio changes it once it is {@link decoded} */
  override take(event: SpeechEvent, atMs: number): boolean {
    super.take(event, atMs);
    switch (event.type) {
      case 'chunkStarted':
        this.#chunkStarted(event, atMs);
        return true;
      case 'words':
        this.#words(event, atMs);
        return true;
      case 'chunkCompleted':
        this.#chunkCompleted(event, atMs);
        return true;
      case 'turnEnded':
        this.bill = event.usage ? keptUsage(event.usage) : null;
        return true;
      default:
        return false;
    }
  }

  /** Takes the figures of an audio frame, once its samples are known. */
  decoded(frame: DecodedFrame): void {
    const { chunk: id, samples, sampleRate, arrivedMs } = frame;
    this.sampleRate ??= sampleRate;
    this.firstAudioMs ??= arrivedMs;
    if (this.#lastAudioMs !== null) this.#gapsMs.add(arrivedMs - this.#lastAudioMs);
    this.#lastAudioMs = arrivedMs;
    const chunk = this.chunkAt(id);
    // A chunk may be announced while audio of the one before it still arrives.
    if (chunk.samples === 0) chunk.startSample = this.samples;
    chunk.firstAudioMs ??= arrivedMs;
    chunk.lastAudioMs = arrivedMs;
    chunk.audioFrames += 1;
    chunk.samples += samples;
    this.samples += samples;
    this.audioFrames += 1;
  }

  /** Notes a change of the chunk at a place that the turn does not know of. */
  chunkChanged(place: number): void {
    this.placedChunks.changedAt(place);
  }

  /** Keeps only the sums of its chunks and that many characters of its text. Later words for it are dropped. */
  condense(chars: number): void {
    this.placedChunks.condense();
    this.#sentText.condense(chars);
  }

  /** Returns a chunk to change it; one that is not known begins with the next audio. */
  protected chunkAt(id: number): Chunk {
    return this.placedChunks.change(id, this.samples);
  }

  #chunkStarted(
    { chunk: id, text, spokenAs, inferred }: Extract<SpeechEvent, { type: 'chunkStarted' }>,
    atMs: number,
  ): void {
    const chunk = this.chunkAt(id);
    this.placedChunks.setText(chunk, text, spokenAs);
    if (!inferred) chunk.startedMs ??= atMs;
    chunk.sentMs ??= this.#sentText.claim(text ?? '');
  }

  #words({ chunk: id, words }: Extract<SpeechEvent, { type: 'words' }>, atMs: number): void {
    if (words.length === 0 || this.isCondensed) return;
    const chunk = this.chunkAt(id);
    chunk.wordsMs ??= atMs;
    this.placedChunks.addWords(chunk, words);
  }

  #chunkCompleted(
    { chunk: id, generationMs, audioSeconds, figures }: Extract<SpeechEvent, { type: 'chunkCompleted' }>,
    atMs: number,
  ): void {
    const chunk = this.chunkAt(id);
    chunk.completedMs = atMs;
    chunk.generationMs = generationMs;
    chunk.statedSeconds = audioSeconds;
    chunk.figures = figures ?? null;
  }
}
