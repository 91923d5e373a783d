import type { AudioEvent, SpeechEvent, Usage } from '#protocol/core/speech-event.ts';
import { type Chunk, Chunks, keptUsage, type TurnLimits } from './chunks.ts';
import { LineTurn } from './line-turn.ts';
import type { TurnEnd } from './turn-state.ts';

/** An audio frame whose samples are known. */
export interface DecodedFrame extends Pick<AudioEvent, 'chunk' | 'sampleRate'> {
  /** Samples that it added to the turn. */
  samples: number;
  arrivedMs: number;
}

/**
 * What the wire says of a turn, live and recorded: its chunks, their words and times, how many samples they have, an end that the
 * server names, and its bill. Samples count from the turn's first. Fields without a comment are explained in `TurnView`.
 */
export class Turn extends LineTurn {
  sampleRate: number | null = null;
  samples = 0;
  audioFrames = 0;
  /** When its first audio frame arrived. */
  firstAudioMs: number | null = null;
  endedMs: number | null = null;
  /** The server's bill of it; null for none so far. */
  bill: Usage | null = null;
  protected readonly placedChunks: Chunks;

  constructor(id: number, context: string, limits: TurnLimits) {
    super(id, context);
    this.placedChunks = new Chunks(limits);
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

  /** Keeps only the sums of its chunks. Later words for it are dropped. */
  condense(): void {
    this.placedChunks.condense();
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
