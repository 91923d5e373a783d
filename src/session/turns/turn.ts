import { SortedValues } from '#lib/statistics/percentiles.ts';
import { type PlayedRange, PlayedRanges } from '#player/played-ranges.ts';
import type { PlayedSamples } from '#player/turn-stream.ts';
import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import type { ServerFigures, SpokenWord } from '#protocol/core/speech-event.ts';
import { endpointOf } from '#protocol/registry.ts';
import { estimateWords, SpeechPace } from '#trace/estimated-words.ts';
import type { DropReason } from '#trace/player-entry.ts';
import { gapStatistics } from '#trace/speed.ts';
import type { TextOrigin } from '#trace/user-actions.ts';
import { waitSegments } from '#trace/wait.ts';
import { LeastMargin } from '../measures/margin.ts';
import { NeededPrebuffer } from '../measures/needed-prebuffer.ts';
import {
  type BargeIn,
  isUnderWay,
  type TurnReport,
  type TurnState,
  type TurnTaking,
  type TurnUsage,
  type TurnView,
  type UnderrunView,
} from '../views.ts';
import { type Chunk, Chunks, firstChars, MAX_TURN_CHARS } from './chunks.ts';
import type { LiveAnswer } from './live-answer.ts';
import { SentText } from './sent-text.ts';

/** Characters that remain of a condensed turn. */
const CONDENSED_CHARS = 1000;

/** The figures of an audio frame, without its samples. */
export interface AudioFrameFigures {
  chunk: number;
  /** Samples that it added to the turn. */
  samples: number;
  /** The first audible sample of the turn so far; null while there is none. */
  firstAudibleSample: number | null;
  sampleRate: number;
  /** Size of the frame on the wire. */
  bytes: number;
  arrivedMs: number;
  queuedMs: number;
}

/** What is known of a turn when it begins. Fields are explained in {@link Turn}. */
export type TurnBeginning = Partial<Pick<Turn, 'voice' | 'line' | 'settings' | 'answer'>>;

/** Text up to a flush and all the audio it becomes. Fields without a comment are explained in `TurnView`. */
export class Turn {
  readonly id: number;
  readonly context: string;
  readonly origin: TextOrigin;
  readonly line: number | null;
  /** Of its speaker when it began. They decide its connection and its context. */
  readonly settings: Settings;
  state: TurnState = 'sending';
  voice: string | number | null;
  /** The server has frames of it, so it may answer. */
  sent = false;
  /** Flushed, or ended by the server. Further text opens another turn. */
  textEnded = false;
  /** The connection that its text goes out on; null before any did. */
  connection: object | null = null;
  /** Its connection takes no more text, so that the next turn may come meanwhile on another one. */
  isDraining = false;
  /** Number of messages of this turn that the server refused. */
  refusals = 0;
  endpoint: EndpointId = endpointOf(null).id;
  billing: Endpoint['billing'] = 'turn';
  readonly answer: LiveAnswer | null;
  /** Estimates word timings, where the server has not sent them yet or never does. */
  pace = new SpeechPace();
  textFrames = 0;
  lateFrames = 0;
  firstTextMs: number | null = null;
  flushedMs: number | null = null;
  endedMs: number | null = null;
  usage: TurnUsage = 'pending';
  repeatable = false;
  sampleRate: number | null = null;
  samples = 0;
  audioFrames = 0;
  audioBytes = 0;
  decodeMs = 0;
  reconnectMs: number | null = null;
  /** When the sound output opened, if audio was waiting for it. */
  outputMs: number | null = null;
  /** When the player had enough audio to start with this turn. */
  targetReachedMs: number | null = null;
  /** When the turn before it on its context ended. No server begins a turn sooner. */
  aloneFromMs = 0;
  held = false;
  isLeftOut = false;
  releasedMs: number | null = null;
  /** When the last sample of the line before it was heard; null where it waited for none. */
  afterMs: number | null = null;
  /** All samples before this one have left the speakers. */
  playedSamples = 0;
  heardToMs: number | null = null;
  silencedMs: number | null = null;
  pausedMs: number | null = null;
  /** When its unheard audio was dropped, future audio included. */
  dropped: { atMs: number; why: DropReason } | null = null;
  bargeIn: Omit<BargeIn, 'silentMs'> | null = null;
  loudness: number | null = null;
  readonly #chunks = new Chunks();
  /** Estimated length of each chunk with estimated words. */
  readonly #expectedMs = new Map<number, number>();
  readonly #sentText = new SentText();
  #waitingText = '';
  #characters = 0;
  readonly #gapsMs = new SortedValues();
  #neededPrebuffer: NeededPrebuffer | null = null;
  readonly #leastMargin = new LeastMargin();
  /** Null before the first audio frame, which sets the rate. */
  #played: PlayedRanges | null = null;
  #underruns: readonly UnderrunView[] = [];
  #firstAudioMs: number | null = null;
  #firstQueuedMs: number | null = null;
  #lastAudioMs: number | null = null;
  #firstAudibleSample: number | null = null;
  #silentMs: number | null = null;

  constructor(id: number, context: string, origin: TextOrigin, beginning: TurnBeginning = {}) {
    const { voice = null, line = null, settings = {}, answer = null } = beginning;
    this.id = id;
    this.context = context;
    this.origin = origin;
    this.voice = voice;
    this.line = line;
    this.settings = settings;
    this.answer = answer;
  }

  /** No more audio of it will come. */
  get isOver(): boolean {
    return !isUnderWay(this);
  }

  /** The server has to send frames of it: its text has ended there, or a chunk is not complete. */
  get isOwed(): boolean {
    // A refused chunk is never completed.
    const isSpeaking = this.refusals === 0 && this.#chunks.list.at(-1)?.completedMs === null;
    const isEnded = this.flushedMs !== null || this.state === 'waiting';
    return this.sent && !this.isOver && (isEnded || isSpeaking);
  }

  get hasChunks(): boolean {
    return this.#chunks.list.length > 0;
  }

  /** When its first audio frame arrived. */
  get firstAudioMs(): number | null {
    return this.#firstAudioMs;
  }

  /** When its first sample left the speakers. */
  get heardFromMs(): number | null {
    return this.#played?.wallMsOf(0) ?? null;
  }

  /** How much of it was heard before a moment, without silences. */
  heardMsUntil(nowMs: number): number {
    return this.#played?.playedMsUntil(nowMs) ?? 0;
  }

  get played(): readonly PlayedRange[] {
    return this.#played?.list ?? [];
  }

  get text(): string {
    return this.#sentText.text + this.#waitingText;
  }

  get isCondensed(): boolean {
    return this.#chunks.isCondensed;
  }

  /** Length of its text. */
  get characters(): number {
    return this.#characters;
  }

  /** Memory that the page and this worker need for it. */
  get kept(): { chunks: number; chars: number } {
    const { list, chars } = this.#chunks;
    return { chunks: list.length, chars: chars + this.#sentText.text.length + this.#waitingText.length };
  }

  write(text: string): void {
    this.#waitingText += text;
    this.#characters += text.length;
  }

  textSent(text: string, atMs: number): void {
    this.sent = true;
    this.#waitingText = this.#waitingText.slice(text.length);
    this.#sentText.add(text, atMs);
    this.firstTextMs ??= atMs;
    this.textFrames += 1;
  }

  endText(flushedMs: number | null): void {
    this.textEnded = true;
    this.flushedMs = flushedMs;
    if (this.state === 'sending') this.state = 'waiting';
  }

  /** Ends the turn. A second end changes nothing. */
  end(state: Extract<TurnState, 'ended' | 'cancelled' | 'failed' | 'lost'>, atMs: number): void {
    if (this.isOver) return;
    this.state = state;
    this.endedMs = atMs;
    this.textEnded = true;
    // After a normal end by the server, an answer continues in another turn.
    if (state !== 'ended') this.answer?.end('stopped', atMs);
    if (this.usage === 'pending') this.usage = this.billing === 'context' ? 'withContext' : 'unreported';
    // An underrun behind the last sample was the end of the turn.
    this.#underruns = this.#underruns.filter(
      ({ lengthMs, atSample }) => lengthMs !== null || atSample < this.samples,
    );
    this.playedTo(this.playedSamples);
  }

  /** Revives a failed turn, because the refused message may not have been its text. */
  revive(): void {
    this.state = this.samples > 0 ? 'receiving' : 'waiting';
    this.endedMs = null;
    this.usage = 'pending';
  }

  /** @param atMs null where the start is inferred, because the server does not report it */
  chunkStarted(id: number, text: string | null, atMs: number | null, spokenAs?: string): void {
    const chunk = this.#chunk(id);
    const isKnown = chunk.sentMs !== null;
    this.#chunks.setText(chunk, text, spokenAs);
    if (isKnown) return;
    chunk.startedMs = atMs;
    chunk.sentMs = this.#sentText.claim(text ?? '');
    if (chunk.text !== null && chunk.wordsMs === null) {
      this.#estimate(chunk, this.pace.expectedMs(chunk.text));
    }
  }

  audio(received: AudioFrameFigures): void {
    const { chunk: id, samples, firstAudibleSample, sampleRate, bytes, arrivedMs, queuedMs } = received;
    if (!this.isOver) this.state = 'receiving';
    this.sampleRate ??= sampleRate;
    this.#played ??= new PlayedRanges(this.sampleRate);
    if (this.#lastAudioMs !== null) this.#gapsMs.add(arrivedMs - this.#lastAudioMs);
    this.#lastAudioMs = arrivedMs;
    this.#firstAudioMs ??= arrivedMs;
    this.#firstQueuedMs ??= queuedMs;
    this.#neededPrebuffer ??= new NeededPrebuffer(sampleRate);
    this.#neededPrebuffer.add(arrivedMs, samples);
    this.#leastMargin.arrived(this.samples, arrivedMs);
    this.#firstAudibleSample ??= firstAudibleSample;
    const chunk = this.#chunk(id);
    if (chunk.samples === 0) chunk.startSample = this.samples;
    chunk.firstAudioMs ??= arrivedMs;
    chunk.lastAudioMs = arrivedMs;
    chunk.audioFrames += 1;
    chunk.samples += samples;
    this.samples += samples;
    this.audioFrames += 1;
    this.audioBytes += bytes;
    this.decodeMs += queuedMs - arrivedMs;
    // Grows the estimate in steps, because every change lays out all words again.
    const soFarMs = this.#msOf(chunk);
    if (chunk.wordsAreEstimated && soFarMs > (this.#expectedMs.get(id) ?? 0)) {
      this.#estimate(chunk, soFarMs * STRETCH);
    }
  }

  hasUntimedChunk(id: number): boolean {
    return this.#chunks.isUntimed(id);
  }

  words(id: number, words: readonly SpokenWord[], atMs: number): void {
    if (words.length === 0) return;
    const chunk = this.#chunk(id);
    chunk.wordsMs ??= atMs;
    this.#chunks.addWords(chunk, words);
  }

  chunkCompleted(
    id: number,
    generationMs: number | null,
    atMs: number,
    figures: ServerFigures | null = null,
  ): void {
    const chunk = this.#chunk(id);
    chunk.completedMs = atMs;
    chunk.generationMs = generationMs;
    chunk.figures = figures;
    if (chunk.text === null || chunk.samples === 0) return;
    this.pace.learn(chunk.text, this.#msOf(chunk));
    if (chunk.wordsAreEstimated) this.#estimate(chunk, this.#msOf(chunk));
  }

  /**
   * Adds samples that left the player.
   * @param wallMsOf returns when an audio frame leaves the speakers
   * @returns whether a figure changed or another range began
   */
  play(run: PlayedSamples, wallMsOf: (frame: number) => number): boolean {
    const played = this.#played;
    if (!played) return false;
    let isNew = played.add(run, wallMsOf);
    // The audio thread plays on for a moment before it follows the clear.
    if (this.silencedMs !== null) this.heardToMs ??= this.silencedMs;
    else {
      isNew ||= this.pausedMs !== null;
      this.#silentMs = null;
      this.pausedMs = null;
    }
    return this.playedTo(played.end) || isNew || this.silencedMs !== null;
  }

  /** Ends the present range, because another output plays the rest. */
  outputEnded(): void {
    this.#played?.break();
  }

  /** Notes that all samples before this one have left the speakers. Returns whether a figure changed. */
  playedTo(beforeSample: number): boolean {
    this.playedSamples = Math.max(this.playedSamples, beforeSample);
    const rate = this.sampleRate;
    const played = this.#played;
    if (rate === null || !played) return false;
    const leastMarginMs = this.#leastMargin.ms;
    this.#leastMargin.played(this.playedSamples, rate, (sample) => played.wallMsOf(sample));
    let changed = this.#leastMargin.ms !== leastMarginMs;
    const { list } = this.#chunks;
    const last = list.findLastIndex(({ samples }) => samples > 0);
    for (const [at, chunk] of list.entries()) {
      if (chunk.samples === 0) continue;
      const { heardFromMs, heardToMs } = chunk;
      if (heardFromMs === null && this.playedSamples > chunk.startSample) {
        chunk.heardFromMs = played.wallMsOf(chunk.startSample);
      }
      const isWhole = this.isOver || chunk.completedMs !== null || at < last;
      const end = chunk.startSample + chunk.samples;
      if (heardToMs === null && isWhole && this.playedSamples >= end) {
        chunk.heardToMs = played.wallMsOf(end, true);
      }
      if (chunk.heardFromMs === heardFromMs && chunk.heardToMs === heardToMs) continue;
      this.#chunks.changedAt(at);
      changed = true;
    }
    if (this.heardToMs === null && this.isOver && this.samples > 0 && this.playedSamples >= this.samples) {
      this.heardToMs = played.wallMsOf(this.samples, true);
      changed ||= this.heardToMs !== null;
    }
    return changed;
  }

  /** A second barge-in changes nothing. @param onsetMs null where no speech cut it off */
  cutOff(pressedMs: number, onsetMs: number | null = null): void {
    this.bargeIn ??= { onsetMs, pressedMs, interruptedMs: null, heard: null };
  }

  silenced(atMs: number): void {
    if (this.heardToMs !== null || this.silencedMs !== null) return;
    this.silencedMs = atMs;
    if (this.played.length > 0) this.heardToMs = this.pausedMs ?? atMs;
  }

  /** Notes when the turn fell silent in its midst: for a pause, or because the audio clock stands still. */
  fellPaused(atMs: number): void {
    this.pausedMs = atMs;
    this.#silentMs = atMs;
    if (this.silencedMs !== null) this.heardToMs = atMs;
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

  /** Keeps only the sums of its chunks and the start of its text. Later words for it are dropped. */
  condense(): void {
    this.#chunks.condense();
    this.#expectedMs.clear();
    this.#sentText.condense(CONDENSED_CHARS);
    this.#waitingText = firstChars(this.#waitingText, CONDENSED_CHARS);
  }

  /** The last report had no room for all of its chunks. */
  get hasMoreToReport(): boolean {
    return this.#chunks.hasChanged;
  }

  /** Returns the state since the last report. Chunks and ranges are the turn's own, because posting copies them. */
  report(): TurnReport {
    // These fields are of use only here.
    const { sent, textEnded, connection, isDraining, refusals, pace, playedSamples, dropped, ...fields } =
      this as Turn;
    const text = this.#shownText();
    const changedChunks = this.#chunks.takeChanged();
    const { outputMs, targetReachedMs, aloneFromMs, releasedMs, afterMs, ...shown } = fields;
    return {
      ...shown,
      text,
      cutChars: this.#characters - text.length,
      chunkCount: this.#chunks.reported,
      changedChunks,
      heardFromMs: this.heardFromMs,
      played: this.played,
      wait: this.#wait(),
      gaps: gapStatistics(this.#gapsMs),
      neededFloorMs: this.#neededPrebuffer?.ms ?? null,
      leastMarginMs: this.#leastMargin.ms,
      bargeIn: this.bargeIn && { ...this.bargeIn, silentMs: this.#silentSince(this.bargeIn) },
      underruns: this.#underruns,
      turnTaking: this.#turnTaking(),
    };
  }

  /** Where the output stood still before the barge-in, the turn was silent at once. */
  #silentSince({ onsetMs, pressedMs }: Omit<BargeIn, 'silentMs'>): number | null {
    return this.#silentMs === null ? null : Math.max(this.#silentMs, onsetMs ?? pressedMs);
  }

  #shownText(): string {
    const { start } = this.#sentText;
    return start + firstChars(this.#waitingText, MAX_TURN_CHARS - start.length);
  }

  #turnTaking(): TurnTaking | null {
    const { afterMs, firstTextMs, heardFromMs, targetReachedMs } = this;
    if (afterMs === null || firstTextMs === null || heardFromMs === null || targetReachedMs === null)
      return null;
    const gapMs = Math.max(0, heardFromMs - afterMs);
    const readyMs = targetReachedMs - Math.max(firstTextMs, this.aloneFromMs);
    return { gapMs, readyMs, savedMs: Math.max(0, readyMs - gapMs) };
  }

  #wait(): TurnView['wait'] {
    const audible = this.#firstAudibleSample;
    if (audible === null || !this.#played || this.playedSamples <= audible) return null;
    const [firstChunk] = this.#chunks.list;
    return waitSegments({
      firstTextMs: this.firstTextMs,
      serverStartedMs: firstChunk?.startedMs ?? null,
      firstAudioFrameMs: this.#firstAudioMs,
      queuedMs: this.#firstQueuedMs,
      outputMs: this.outputMs,
      targetReachedMs: this.targetReachedMs,
      releasedMs: this.releasedMs,
      firstSampleMs: this.#played.wallMsOf(0),
      firstAudibleMs: this.#played.wallMsOf(audible),
    });
  }

  #estimate(chunk: Chunk, totalMs: number): void {
    this.#chunks.setWords(chunk, estimateWords(chunk.text ?? '', totalMs));
    chunk.wordsAreEstimated = true;
    this.#expectedMs.set(chunk.id, totalMs);
  }

  #msOf({ samples }: Chunk): number {
    return this.sampleRate === null ? 0 : (samples / this.sampleRate) * 1000;
  }

  #chunk(id: number): Chunk {
    return this.#chunks.change(id, this.samples);
  }
}

/** A chunk that exceeds its estimate is estimated at this multiple of its audio so far. */
const STRETCH = 1.25;
