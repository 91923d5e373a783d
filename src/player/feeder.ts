import type { AudioEncoding } from '#protocol/core/audio-format.ts';
import type { AudioPayload } from '#protocol/core/speech-event.ts';
import type { ArrivalHistory } from './arrivals.ts';
import { JitterEstimator, type PrebufferTarget } from './jitter.ts';
import { type AppendResult, PcmStore } from './pcm-store.ts';
import type { RingSink } from './ring.ts';
import { hasEnough } from './track.ts';
import { type PlayedSamples, type StreamReport, type StreamSpan, TurnStream } from './turn-stream.ts';

/** A snapshot of the track. */
export interface FeederReport extends StreamReport {
  /** Samples received for playing and not played yet, in the ring and in front of it. */
  queuedSamples: number;
}

/** A part of a turn to be played. A turn has several parts where audio arrived after its end. */
interface Part {
  readonly turn: number;
  readonly store: PcmStore;
  fromSample: number;
  /** Behind the last sample to play; null while more may come. */
  toSample: number | null;
  /** Its samples in the ring, from the first one on; null while there are none. */
  span: StreamSpan | null;
  /** All of it is in the ring. */
  isWritten: boolean;
}

/** Received samples of the part. */
const lengthOf = ({ store, fromSample, toSample }: Part): number => (toSample ?? store.length) - fromSample;

const writtenOf = ({ span }: Part): number => span?.count ?? 0;

/**
 * Feeds the ring of one track. Decodes audio, queues turns by their numbers, and chooses the prebuffer target. A turn waits
 * for an output of its rate, and a held turn for its release.
 */
export class Feeder {
  readonly #stores = new Map<number, PcmStore>();
  readonly #jitter = new JitterEstimator();
  /** Parts that may not have been heard to their end, in the order of hearing. Others overtake those that wait. */
  #parts: Part[] = [];
  readonly #held = new Set<number>();
  /** Turns whose audio comes. */
  readonly #receiving = new Set<number>();
  /** Plays in place of all others. */
  #repeat: Part | null = null;
  #isPaused = false;
  #stream: TurnStream | null = null;
  #sampleRate: number | null = null;
  #nextEpoch = 0;

  /** Chooses prebuffer targets by the arrivals of one endpoint and server from now on. */
  learnFrom(history: ArrivalHistory): void {
    this.#jitter.learnFrom(history);
  }

  /** Plays to this sink from now on, first the turns that waited for one of this rate. */
  attach(sink: RingSink, sampleRate: number): void {
    this.detach();
    this.#sampleRate = sampleRate;
    this.#stream = new TurnStream(sink);
    if (this.#isPaused) sink.setPaused(true);
    this.#setTarget();
    this.#pump();
  }

  /**
   * Releases the sink. Turns that were not heard to their end go on at the next one.
   * @returns samples that were played since the last `poll`
   */
  detach(): readonly PlayedSamples[] {
    const stream = this.#stream;
    if (!stream) return [];
    const { played } = stream.poll();
    this.#takeBack();
    this.#nextEpoch = (stream.sink.epoch + 1) | 0;
    stream.sink.close();
    this.#stream = null;
    this.#sampleRate = null;
    this.#repeat = null;
    return played;
  }

  get sink(): RingSink | null {
    return this.#stream?.sink ?? null;
  }

  /** Of the sink, or the first one of the next sink. Exceeds all earlier ones, so that a late halt silences nothing. */
  get epoch(): number {
    return this.sink?.epoch ?? this.#nextEpoch;
  }

  /** In Hz; null without a sink. */
  get sampleRate(): number | null {
    return this.#sampleRate;
  }

  /** The current prebuffer target, with its reason in words. */
  get target(): PrebufferTarget {
    return this.#jitter.target;
  }

  get repeating(): number | null {
    return this.#repeat?.turn ?? null;
  }

  /** Turns are held, perhaps before their first audio. */
  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** The rate of a turn that waits for another output, which the page must open; null where none does. */
  get wantedSampleRate(): number | null {
    const waiting = this.#parts.find((part) => !this.#held.has(part.turn) && !this.#isPlayable(part));
    return waiting?.store.sampleRate ?? null;
  }

  /** Samples of turns that wait for their release or for an output. */
  get waitingSamples(): number {
    const waiting = this.#parts.filter((part) => !this.#isPlayable(part));
    return waiting.reduce((sum, part) => sum + lengthOf(part), 0);
  }

  /** The samples of a turn; undefined for one without audio, and once it is forgotten. */
  store(turn: number): PcmStore | undefined {
    return this.#stores.get(turn);
  }

  /** The turn has enough audio to start to play, apart from the longest wait for it. */
  hasEnough(turn: number): boolean {
    const store = this.#stores.get(turn);
    if (!store) return false;
    const targetSamples = (this.target.targetMs * store.sampleRate) / 1000;
    return hasEnough(store.length, targetSamples, !this.#receiving.has(turn));
  }

  /**
   * Decodes an audio frame into its turn's store and the ring. The first frame of a turn completes the turn before, and
   * ends a repeat unless the turn is held. A faulty frame changes nothing. The caller drops frames of a cancelled turn.
   * @param arrivalMs its arrival on any steady clock
   * @param overlaps the turn before still gets audio, so that this one waits for its end
   */
  receive(
    turn: number,
    payload: AudioPayload,
    encoding: AudioEncoding,
    sampleRate: number,
    arrivalMs: number,
    overlaps = false,
  ): AppendResult {
    const store = this.#stores.get(turn) ?? new PcmStore(sampleRate);
    if (store.sampleRate !== sampleRate) {
      return {
        problem: `The turn began at ${store.sampleRate} Hz, this audio frame is at ${sampleRate} Hz. A turn has one rate.`,
      };
    }
    const fromSample = store.length;
    const result = store.appendPayload(payload, encoding);
    if ('problem' in result) return result;
    this.#stores.set(turn, store);
    if (!this.#receiving.has(turn)) this.#beginReceiving(turn, store, fromSample, overlaps);
    this.#jitter.frame(arrivalMs, (result.samples / sampleRate) * 1000);
    this.#setTarget();
    this.#pump();
    return result;
  }

  /** Declares that no more audio of the turn will come. */
  complete(turn: number): void {
    this.#stores.get(turn)?.trim();
    for (const part of this.#parts) if (part.turn === turn) part.toSample ??= part.store.length;
    this.#pump();
    if (this.#receiving.delete(turn) && this.#receiving.size === 0) this.#jitter.endTurn();
  }

  /**
   * Keeps a turn from being heard until it is released, also before its first audio. Returns false, and changes nothing,
   * where it is already being heard or was dropped.
   *
   * A queued turn is taken out by clearing the ring and queueing all others again, from the last known playhead on. The
   * reader plays on until it sees the clear, so a few milliseconds are heard twice: a quantum or two over shared memory,
   * the age of the last report over messages.
   */
  hold(turn: number): boolean {
    if (this.#held.has(turn)) return true;
    this.#stream?.refresh();
    this.#forgetHeard();
    const next = this.#parts.find((part) => part.turn === turn);
    if (this.#stores.has(turn) && (!next || next.fromSample + this.#playedOf(next) > 0)) return false;
    const isQueued = this.#isQueued(turn);
    this.#held.add(turn);
    if (isQueued) this.#queueAgain();
    return true;
  }

  /** Queues a held turn behind those queued or released before it. Ends a repeat. */
  release(turn: number): void {
    if (!this.#held.delete(turn)) return;
    const released = this.#parts.filter((part) => part.turn === turn);
    if (released.length === 0) return;
    this.#parts = [...this.#parts.filter((part) => part.turn !== turn), ...released];
    this.#endRepeat();
    this.#pump();
  }

  /**
   * Pauses everything, or lets it go on with the next sample. Unlike a held turn, a paused one may have been heard in
   * part. A clear does not end a pause.
   */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.sink?.setPaused(isPaused);
  }

  /** Barge-in on one turn: drops the rest of it. Other turns in the ring are queued again, as by `hold`. */
  drop(turn: number): void {
    this.#stream?.refresh();
    this.#forgetHeard();
    const isQueued = this.#isQueued(turn);
    this.#held.delete(turn);
    this.#receiving.delete(turn);
    this.#parts = this.#parts.filter((part) => part.turn !== turn);
    if (isQueued) this.#queueAgain();
  }

  /** Barge-in: drops all queued and held turns. Returns the new epoch; null where nothing is attached. */
  clear(): number | null {
    this.#parts = [];
    this.#held.clear();
    this.#receiving.clear();
    this.#repeat = null;
    return this.#stream?.sink.clear() ?? null;
  }

  /** Repeats a turn in place of everything queued. Returns false where it has no such sample, or has another rate. */
  repeat(turn: number, fromSample: number): boolean {
    const store = this.#stores.get(turn);
    if (!store || store.sampleRate !== this.#sampleRate) return false;
    if (fromSample < 0 || fromSample >= store.length) return false;
    this.clear();
    this.#repeat = { turn, store, fromSample, toSample: store.length, span: null, isWritten: false };
    this.#pump();
    return true;
  }

  /** Releases a turn's samples. A queued, held or playing turn is still heard. */
  forget(turn: number): void {
    this.#stores.get(turn)?.close();
    this.#stores.delete(turn);
  }

  /** Fills the ring, and reports what was heard. Called several times a second. Null where nothing is attached. */
  poll(): FeederReport | null {
    const stream = this.#stream;
    if (!stream) return null;
    const report = stream.poll();
    this.#forgetHeard();
    const queued = this.#queue.filter((part) => this.#isPlayable(part));
    const queuedSamples = queued.reduce((sum, part) => sum + lengthOf(part) - this.#playedOf(part), 0);
    for (const { kind, epoch, at } of report.events) {
      if (kind === 'underrun' && at !== null && this.#receiving.has(at.turn)) {
        this.#jitter.underrun();
        this.#setTarget();
      }
      // Where the end of a turn was announced late, the next turn resumes with its first sample.
      if (kind === 'resumed' && at !== null && at.sample > 0) this.#jitter.resumed();
      if (kind === 'ended' && epoch === this.epoch && at?.turn === this.repeating) this.#repeat = null;
    }
    this.#pump();
    return { ...report, queuedSamples };
  }

  #beginReceiving(turn: number, store: PcmStore, fromSample: number, overlaps: boolean): void {
    // A server that omits the end of a turn must not block the next one.
    if (!overlaps) for (const before of this.#receiving) this.complete(before);
    this.#receiving.add(turn);
    this.#jitter.beginTurn();
    if (!this.#held.has(turn)) this.#endRepeat();
    const part = { turn, store, fromSample, toSample: null, span: null, isWritten: false };
    // Before later turns, which wait for it.
    const later = overlaps ? this.#parts.findIndex((other) => other.turn > turn) : -1;
    this.#parts.splice(later < 0 ? this.#parts.length : later, 0, part);
  }

  #endRepeat(): void {
    if (!this.#repeat) return;
    this.#repeat = null;
    this.#stream?.sink.clear();
  }

  /** Parts to be heard, in order, with those that wait. */
  get #queue(): readonly Part[] {
    return this.#repeat ? [this.#repeat] : this.#parts;
  }

  #isPlayable({ turn, store }: Part): boolean {
    return store.sampleRate === this.#sampleRate && !this.#held.has(turn);
  }

  /** A part of the turn is in the ring, or next in turn for it. */
  #isQueued(turn: number): boolean {
    return this.#parts.some((part) => part.turn === turn && this.#isPlayable(part));
  }

  /** Moves samples into the ring as room allows. Called after every audio frame, and from a timer. */
  #pump(): void {
    const stream = this.#stream;
    if (!stream) return;
    for (const part of this.#queue) {
      if (part.isWritten || !this.#isPlayable(part)) continue;
      const { turn, store, fromSample } = part;
      for (let rest = lengthOf(part) - writtenOf(part); rest > 0; rest = lengthOf(part) - writtenOf(part)) {
        const count = stream.sink.write(store.view(fromSample + writtenOf(part), rest));
        if (count === 0) return;
        part.span = stream.wrote(part.span, turn, fromSample, count);
      }
      if (part.toSample === null) return;
      part.isWritten = true;
      stream.sink.end();
    }
  }

  /** Clears the ring, and queues all turns again. */
  #queueAgain(): void {
    this.#takeBack();
    this.#stream?.sink.clear();
    this.#pump();
  }

  /** Takes all parts out of the ring. They go on from the last known playhead. */
  #takeBack(): void {
    this.#forgetHeard();
    for (const part of this.#parts) {
      part.fromSample += this.#playedOf(part);
      part.span = null;
      part.isWritten = false;
    }
  }

  #forgetHeard(): void {
    this.#parts = this.#parts.filter((part) => !part.isWritten || this.#playedOf(part) < writtenOf(part));
  }

  #playedOf({ span }: Part): number {
    return span && this.#stream ? this.#stream.playedOf(span) : 0;
  }

  #setTarget(): void {
    const { targetMs, maxWaitMs } = this.#jitter.target;
    const samples = (this.#sampleRate ?? 0) / 1000;
    this.sink?.setTarget(targetMs * samples, maxWaitMs * samples);
  }
}
