import type { Endpoint, EndpointId, Settings } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { type Chunk, firstChars, PAGE_LIMITS } from '#trace/chunks.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { type DecodedFrame, Turn } from '#trace/turn.ts';
import type { TextOrigin } from '#trace/user-actions.ts';
import { waitSegments } from '#trace/wait.ts';
import { continued, estimateWords, type SpeechPace } from '#trace/words/estimated-words.ts';
import type { FoundWord } from '#trace/words/text-search.ts';
import { NeededPrebuffer } from '../measures/needed-prebuffer.ts';
import type { BargeIn, TurnReport, TurnTaking, TurnUsage, TurnView } from '../views.ts';
import { Heard } from './heard.ts';
import type { LiveAnswer } from './live-answer.ts';

/** Characters that remain of a condensed turn. */
const CONDENSED_CHARS = 1000;

/** What the person wanted, as it was when the turn began. The answer of a model grows. */
export interface Asked {
  readonly origin: TextOrigin;
  readonly line: number | null;
  /** Those of its speaker when it began. They decide its connection and its context. */
  readonly settings: Settings;
  readonly answer: LiveAnswer | null;
}

/** What was asked of a turn that the server, or a frame sent by hand, began. */
export const UNASKED: Asked = { origin: 'whole', line: null, settings: {}, answer: null };

/** Words of a chunk in its sound, from its first one on. */
export interface MeasuredChunk {
  readonly chunk: number;
  readonly text: string;
  readonly words: readonly FoundWord[];
  /** No more sound will come. A chunk that was cut off lacks its last words. */
  readonly isFinal: boolean;
}

/** A decoded audio frame that was handed to the player. */
interface QueuedFrame extends DecodedFrame {
  queuedMs: number;
  /** Size of the frame on the wire. */
  bytes: number;
  /** The first audible sample of the turn so far; null while there is none. */
  firstAudibleSample: number | null;
}

interface SessionTurnSetup extends Pick<SessionTurn, 'endpoint' | 'voice' | 'billing'> {
  /** The pace of the session's voice. */
  pace: SpeechPace;
}

/** A chunk that exceeds its estimate is estimated at this multiple of its audio so far. */
const STRETCH = 1.25;

/** A turn of a session, with what the person wanted, what the speakers did, and its text that waits to be sent. */
export class SessionTurn extends Turn {
  readonly endpoint: EndpointId;
  readonly billing: Endpoint['billing'];
  readonly asked: Asked;
  readonly heard = new Heard(this);
  /** The voice of its speaker, or of its connection once its first text is sent. */
  voice: string | number | null;
  /** The connection that its text goes out on; null before any did. */
  connection: object | null = null;
  /** Its connection takes no more text, so that the next turn may come meanwhile on another one. */
  isDraining = false;
  lateFrames = 0;
  audioBytes = 0;
  decodeMs = 0;
  /** When the turn before it on its context ended. No server begins a turn sooner. */
  aloneFromMs = 0;
  reconnectMs: number | null = null;
  bargeIn: Omit<BargeIn, 'silentMs'> | null = null;
  readonly #pace: SpeechPace;
  /** Estimated length of each chunk with estimated words. */
  readonly #expectedMs = new Map<number, number>();
  /** Words of chunks that were found in their sound so far, from the first one on, and the text that they are of. */
  readonly #measured = new Map<number, MeasuredChunk>();
  #waitingText = '';
  /** The first characters of the text that was sent, as many as the page shows. */
  #sentStart = '';
  #characters = 0;
  /** When the samples of its first audio frame were handed to the player. */
  #firstQueuedMs: number | null = null;
  #firstAudibleSample: number | null = null;
  /** Null before the first audio frame, which sets the rate. */
  #neededPrebuffer: NeededPrebuffer | null = null;

  constructor(
    id: number,
    context: string,
    asked: Asked,
    { endpoint, voice, billing, pace }: SessionTurnSetup,
  ) {
    super(id, context, PAGE_LIMITS);
    this.billing = billing;
    this.#pace = pace;
    this.asked = asked;
    this.endpoint = endpoint;
    this.voice = voice;
  }

  get text(): string {
    return this.sentText + this.#waitingText;
  }

  /** Length of its text. */
  get characters(): number {
    return this.#characters;
  }

  /** Memory that the page and this worker need for it. */
  get kept(): { chunks: number; chars: number } {
    const chars = this.placedChunks.chars + this.sentText.length + this.#waitingText.length;
    return { chunks: this.chunks.length, chars };
  }

  write(text: string): void {
    this.#waitingText += text;
    this.#characters += text.length;
  }

  /** So many characters of the text that waits go out. */
  takeWaiting(chars: number): void {
    this.#waitingText = this.#waitingText.slice(chars);
    this.#characters -= chars;
  }

  protected override textSent(text: string, atMs: number): void {
    super.textSent(text, atMs);
    this.#characters += text.length;
    const { chars } = PAGE_LIMITS;
    if (this.#sentStart.length < chars) this.#sentStart = firstChars(this.#sentStart + text, chars);
  }

  /** The server has to send frames of it: its text has ended there, or a chunk is not complete. */
  get isOwed(): boolean {
    // A refused chunk is never completed.
    const isSpeaking = this.refusals === 0 && this.chunks.at(-1)?.completedMs === null;
    const isEnded = this.flushedMs !== null || this.state === 'waiting';
    return this.sent && !this.isOver && (isEnded || isSpeaking);
  }

  get usage(): TurnUsage {
    if (this.bill) return this.bill;
    if (!this.isOver) return 'pending';
    return this.billing === 'context' ? 'withContext' : 'unreported';
  }

  override take(event: SpeechEvent, atMs: number): boolean {
    const isNew = event.type === 'chunkStarted' && this.#isNew(event.chunk);
    const changed = super.take(event, atMs);
    if (event.type === 'chunkStarted') this.#chunkStarted(this.chunkAt(event.chunk), isNew);
    else if (event.type === 'chunkCompleted') this.#chunkCompleted(this.chunkAt(event.chunk));
    else return changed || event.type === 'warning';
    return true;
  }

  override decoded(frame: QueuedFrame): void {
    const { arrivedMs, queuedMs, samples, sampleRate } = frame;
    this.#firstQueuedMs ??= queuedMs;
    this.#firstAudibleSample ??= frame.firstAudibleSample;
    this.audioBytes += frame.bytes;
    this.decodeMs += queuedMs - arrivedMs;
    this.#neededPrebuffer ??= new NeededPrebuffer(sampleRate);
    this.#neededPrebuffer.add(arrivedMs, samples);
    super.decoded(frame);
    const chunk = this.chunkAt(frame.chunk);
    // Grows the estimate in steps, because every change lays out all words again.
    const soFarMs = this.#msOf(chunk);
    if (chunk.wordSource !== 'server' && soFarMs > (this.#expectedMs.get(chunk.id) ?? 0))
      this.#estimate(chunk, soFarMs * STRETCH);
  }

  /** Takes the words that were found in the sound of a chunk, beside those of the server. Returns whether they are of its text. */
  measured(found: MeasuredChunk): boolean {
    const known = this.placedChunks.find(found.chunk);
    if (!known || known.text !== found.text) return false;
    const chunk = this.chunkAt(found.chunk);
    if (found.isFinal) chunk.measured = found.words;
    if (chunk.wordSource === 'server') return true;
    this.#measured.set(found.chunk, found);
    this.#estimate(chunk, Math.max(this.#expectedMs.get(found.chunk) ?? 0, this.#msOf(chunk)));
    return true;
  }

  /** A second barge-in changes nothing. @param onsetMs null where no speech cut it off */
  cutOff(pressedMs: number, onsetMs: number | null = null): void {
    this.bargeIn ??= { onsetMs, pressedMs, interruptedMs: null, heard: null };
  }

  /** Keeps only the sums of its chunks and the start of its text. */
  override condense(): void {
    // While the chunks are known.
    this.heard.condense();
    super.condense(CONDENSED_CHARS);
    this.#expectedMs.clear();
    this.#measured.clear();
    this.#sentStart = firstChars(this.#sentStart, CONDENSED_CHARS);
    this.#waitingText = firstChars(this.#waitingText, CONDENSED_CHARS);
  }

  /** The last report had no room for all of its chunks. */
  get hasMoreToReport(): boolean {
    return this.placedChunks.hasChanged;
  }

  /** Returns the state since the last report. Ranges are the turn's own, because posting copies them. */
  report(): TurnReport {
    const { asked, bargeIn, heard } = this;
    const text = this.#shownText();
    const changedChunks = this.placedChunks
      .takeChanged()
      .map(({ at, chunk }) => ({ at, chunk: { ...chunk, ...heard.chunk(at) } }));
    return {
      id: this.id,
      endpoint: this.endpoint,
      context: this.context,
      state: this.state,
      origin: asked.origin,
      voice: this.voice,
      text,
      cutChars: this.#characters - text.length,
      textFrames: this.textFrames,
      firstTextMs: this.firstTextMs,
      flushedMs: this.flushedMs,
      endedMs: this.endedMs,
      sampleRate: this.sampleRate,
      samples: this.samples,
      audioFrames: this.audioFrames,
      lateFrames: this.lateFrames,
      chunkCount: this.placedChunks.reported,
      changedChunks,
      heardFromMs: heard.fromMs,
      heardToMs: heard.toMs,
      silencedMs: heard.silencedMs,
      pausedMs: heard.pausedMs,
      played: heard.ranges,
      wait: this.#wait(),
      gaps: this.gaps,
      neededFloorMs: this.#neededPrebuffer?.ms ?? null,
      leastMarginMs: heard.leastMarginMs,
      bargeIn: bargeIn && { ...bargeIn, silentMs: heard.silentSince(bargeIn.onsetMs ?? bargeIn.pressedMs) },
      underruns: heard.underruns,
      usage: this.usage,
      billing: this.billing,
      audioBytes: this.audioBytes,
      decodeMs: this.decodeMs,
      reconnectMs: this.reconnectMs,
      answer: asked.answer,
      line: asked.line,
      held: heard.held,
      isLeftOut: heard.isLeftOut,
      turnTaking: this.#turnTaking(),
      repeatable: heard.repeatable,
      loudness: heard.loudness,
    };
  }

  /** No frame has told when its text was sent. */
  #isNew(chunk: number): boolean {
    return (this.placedChunks.find(chunk)?.sentMs ?? null) === null;
  }

  #chunkStarted(chunk: Chunk, isNew: boolean): void {
    if (isNew && chunk.text !== null && chunk.wordsMs === null)
      this.#estimate(chunk, this.#pace.expectedMs(chunk.text));
  }

  #chunkCompleted(chunk: Chunk): void {
    if (chunk.text === null || chunk.samples === 0) return;
    this.#pace.learn(chunk.text, this.#msOf(chunk));
    if (chunk.wordSource !== 'server') this.#estimate(chunk, this.#msOf(chunk));
  }

  /** Estimates word timings behind those that were measured, where the server has not sent them yet or never does. */
  #estimate(chunk: Chunk, totalMs: number): void {
    const found = this.#measured.get(chunk.id);
    const isOfText = found !== undefined && found.text === chunk.text;
    const estimated = estimateWords(chunk.text ?? '', totalMs);
    this.placedChunks.setWords(chunk, isOfText ? continued(found.words, estimated, totalMs) : estimated);
    chunk.wordSource = isOfText && found.isFinal ? 'measured' : 'estimated';
    this.#expectedMs.set(chunk.id, totalMs);
  }

  #msOf({ samples }: Chunk): number {
    return audioSecondsOf({ samples, sampleRate: this.sampleRate }) * 1000;
  }

  #shownText(): string {
    const start = this.#sentStart;
    return start + firstChars(this.#waitingText, PAGE_LIMITS.chars - start.length);
  }

  #turnTaking(): TurnTaking | null {
    const { firstTextMs } = this;
    const { afterMs, fromMs, targetReachedMs } = this.heard;
    if (afterMs === null || firstTextMs === null || fromMs === null || targetReachedMs === null) return null;
    const gapMs = Math.max(0, fromMs - afterMs);
    const readyMs = targetReachedMs - Math.max(firstTextMs, this.aloneFromMs);
    return { gapMs, readyMs, savedMs: Math.max(0, readyMs - gapMs) };
  }

  #wait(): TurnView['wait'] {
    const { heard } = this;
    const audible = this.#firstAudibleSample;
    if (audible === null || heard.playedSamples <= audible) return null;
    return waitSegments({
      firstTextMs: this.firstTextMs,
      serverStartedMs: this.chunks[0]?.startedMs ?? null,
      firstAudioFrameMs: this.firstAudioMs,
      queuedMs: this.#firstQueuedMs,
      outputMs: heard.outputMs,
      targetReachedMs: heard.targetReachedMs,
      releasedMs: heard.releasedMs,
      firstSampleMs: heard.fromMs,
      firstAudibleMs: heard.wallMsOf(audible),
    });
  }
}
