import { type PlayedRange, PlayedRanges } from '#player/played-ranges.ts';
import type { PlayedSamples } from '#player/turn-stream.ts';
import type { DropReason, HeardRecord } from '#trace/player-entry.ts';
import type { Turn } from '#trace/turn.ts';
import { LeastMargin } from '../measures/margin.ts';
import type { UnderrunView } from '../views.ts';

/** When a chunk was heard from its first to its last sample; null until then. */
interface HeardChunk {
  heardFromMs: number | null;
  heardToMs: number | null;
}

const NOT_HEARD: HeardChunk = { heardFromMs: null, heardToMs: null };

/**
 * What the speakers did with a turn. The playback alone notes it. Fields without a comment are explained in `TurnView`.
 */
export class Heard {
  /** When the sound output opened, if audio was waiting for it. */
  outputMs: number | null = null;
  /** When the player had enough audio to start with this turn. */
  targetReachedMs: number | null = null;
  held = false;
  isLeftOut = false;
  releasedMs: number | null = null;
  /** When the last sample of the line before it was heard; null where it waited for none. */
  afterMs: number | null = null;
  /** All samples before this one have left the speakers. */
  playedSamples = 0;
  toMs: number | null = null;
  silencedMs: number | null = null;
  pausedMs: number | null = null;
  /** When its unheard audio was dropped, future audio included. */
  dropped: { atMs: number; why: DropReason } | null = null;
  loudness: number | null = null;
  repeatable = false;
  readonly #turn: Turn;
  /** One for each chunk that was heard, at its place in the list of chunks. */
  #chunks: HeardChunk[] = [];
  /** Place of the first chunk that was not heard to its end. */
  #nextChunk = 0;
  readonly #leastMargin = new LeastMargin();
  /** Null before its first sample. */
  #played: PlayedRanges | null = null;
  #underruns: readonly UnderrunView[] = [];
  #silentMs: number | null = null;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /** When its first sample left the speakers. */
  get fromMs(): number | null {
    return this.wallMsOf(0);
  }

  get ranges(): readonly PlayedRange[] {
    return this.#played?.list ?? [];
  }

  get leastMarginMs(): number | null {
    return this.#leastMargin.ms;
  }

  get underruns(): readonly UnderrunView[] {
    return this.#underruns;
  }

  chunk(at: number): HeardChunk {
    return this.#chunks[at] ?? NOT_HEARD;
  }

  /** When a sample left the speakers; null before the first. */
  wallMsOf(sample: number): number | null {
    return this.#played?.wallMsOf(sample) ?? null;
  }

  /** How much of it was heard before a moment, without silences. */
  msUntil(nowMs: number): number {
    return this.#played?.playedMsUntil(nowMs) ?? 0;
  }

  /** When it was silent since a moment; null while it is heard. Where the output stood still before, it was silent at once. */
  silentSince(ms: number): number | null {
    return this.#silentMs === null ? null : Math.max(this.#silentMs, ms);
  }

  /** Returns what has been heard, and whether the rest was dropped. @param usOf converts wall time to the recording's clock */
  record(usOf: (wallMs: number) => number): HeardRecord {
    const { sampleRate, samples, state } = this.#turn;
    const { playedSamples, dropped } = this;
    const isWhole = state === 'ended' && playedSamples >= samples && samples > 0;
    return {
      sampleRate,
      samples,
      spans: this.ranges.map(({ sample, count, atMs }) => ({ sample, count, atUs: usOf(atMs) })),
      dropped:
        dropped && !isWhole ? { sample: playedSamples, atUs: usOf(dropped.atMs), why: dropped.why } : null,
    };
  }

  /** Audio of it arrives behind its samples so far. */
  arriving(arrivedMs: number): void {
    this.#leastMargin.arrived(this.#turn.samples, arrivedMs);
  }

  /**
   * Adds samples that left the player.
   * @param wallMsOf returns when an audio frame leaves the speakers
   * @returns whether a figure changed or another range began
   */
  play(run: PlayedSamples, wallMsOf: (frame: number) => number): boolean {
    const { sampleRate } = this.#turn;
    if (sampleRate === null) return false;
    this.#played ??= new PlayedRanges(sampleRate);
    let isNew = this.#played.add(run, wallMsOf);
    // The audio thread plays on for a moment before it follows the clear.
    if (this.silencedMs !== null) this.toMs ??= this.silencedMs;
    else {
      isNew ||= this.pausedMs !== null;
      this.#silentMs = null;
      this.pausedMs = null;
    }
    return this.playedTo(this.#played.end) || isNew || this.silencedMs !== null;
  }

  /** Ends the present range, because another output plays the rest. */
  outputEnded(): void {
    this.#played?.break();
  }

  /** Notes that all samples before this one have left the speakers. Returns whether a figure changed. */
  playedTo(beforeSample: number): boolean {
    this.playedSamples = Math.max(this.playedSamples, beforeSample);
    const { sampleRate, samples, isOver } = this.#turn;
    const played = this.#played;
    if (sampleRate === null || !played) return false;
    const { leastMarginMs } = this;
    this.#leastMargin.played(this.playedSamples, sampleRate, (sample) => played.wallMsOf(sample));
    const isOfChunk = this.#hearChunks(played);
    let changed = isOfChunk || this.leastMarginMs !== leastMarginMs;
    if (this.toMs === null && isOver && samples > 0 && this.playedSamples >= samples) {
      this.toMs = played.wallMsOf(samples, true);
      changed ||= this.toMs !== null;
    }
    return changed;
  }

  /** Nothing more of the turn comes. */
  turnEnded(): void {
    // An underrun behind the last sample was the end of the turn.
    this.#underruns = this.#underruns.filter(
      ({ lengthMs, atSample }) => lengthMs !== null || atSample < this.#turn.samples,
    );
    this.playedTo(this.playedSamples);
  }

  silenced(atMs: number): void {
    if (this.toMs !== null || this.silencedMs !== null) return;
    this.silencedMs = atMs;
    if (this.ranges.length > 0) this.toMs = this.pausedMs ?? atMs;
  }

  /** Notes when the turn fell silent in its midst: for a pause, or because the audio clock stands still. */
  fellPaused(atMs: number): void {
    this.pausedMs = atMs;
    this.#silentMs = atMs;
    if (this.silencedMs !== null) this.toMs = atMs;
  }

  /** Notes when the audio thread stopped playing the turn for a clear. */
  fellSilent(atMs: number): void {
    this.#silentMs = this.pausedMs ?? atMs;
  }

  underrunBegan(atSample: number, atMs: number): void {
    this.#underruns = [...this.#underruns, { atMs, atSample, lengthMs: null }];
  }

  /** Returns the underrun that has ended; null where the silence was none. */
  underrunEnded(lengthMs: number): UnderrunView | null {
    const last = this.#underruns.at(-1);
    if (last?.lengthMs !== null) return null;
    const ended = { ...last, lengthMs };
    this.#underruns = [...this.#underruns.slice(0, -1), ended];
    return ended;
  }

  /** The chunks of the turn have become one. */
  condense(): void {
    const spoken = this.#turn.chunks.flatMap(({ samples }, at) => (samples > 0 ? [this.chunk(at)] : []));
    const [first = NOT_HEARD] = spoken;
    this.#nextChunk = 0;
    this.#chunks = [{ ...first, heardToMs: spoken.at(-1)?.heardToMs ?? null }];
  }

  /** Notes chunks that were heard from their first or to their last sample. Returns whether there are any. */
  #hearChunks(played: PlayedRanges): boolean {
    const { chunks, isOver } = this.#turn;
    const { playedSamples } = this;
    let changed = false;
    const last = chunks.findLastIndex(({ samples }) => samples > 0);
    // Chunks are heard in their order, and a turn may have thousands.
    while (this.chunk(this.#nextChunk).heardToMs !== null) this.#nextChunk += 1;
    for (let at = this.#nextChunk; at <= last; at += 1) {
      const { startSample = 0, samples = 0, completedMs = null } = chunks[at] ?? {};
      if (samples === 0) continue;
      if (playedSamples <= startSample) continue;
      const before = this.chunk(at);
      const heardFromMs = before.heardFromMs ?? played.wallMsOf(startSample);
      const isHeard = playedSamples >= startSample + samples && (isOver || completedMs !== null || at < last);
      const heardToMs = before.heardToMs ?? (isHeard ? played.wallMsOf(startSample + samples, true) : null);
      if (heardFromMs === before.heardFromMs && heardToMs === before.heardToMs) continue;
      this.#chunks[at] = { heardFromMs, heardToMs };
      this.#turn.chunkChanged(at);
      changed = true;
    }
    return changed;
  }
}
