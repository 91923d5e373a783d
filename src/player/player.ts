import type { AudioEncoding, AudioPayload } from '#protocol/core/speech-event.ts';
import type { ArrivalHistory } from './arrivals.ts';
import { Feeder, type FeederReport, lengthOf, type PlayedSamples, type QueuedTurn } from './feeder.ts';
import { JitterEstimator, type StartFloor } from './jitter.ts';
import { type AppendResult, PcmStore } from './pcm-store.ts';
import type { RingSink } from './sink.ts';

/** Plays the turns of one track. A turn waits for an output of its rate, and a held turn for its release. */
export class Player {
  readonly #stores = new Map<number, PcmStore>();
  readonly #jitter = new JitterEstimator();
  #feeder: Feeder | null = null;
  #sampleRate = 0;
  /** Turns with audio that the feeder does not have: held, or without an output of their rate. */
  #waiting: QueuedTurn[] = [];
  readonly #held = new Set<number>();
  #isPaused = false;
  /** The turn of the last audio frame. */
  #receiving: number | null = null;
  #replaying: number | null = null;

  /** Chooses start floors by the arrivals of one endpoint and server from now on. */
  learnFrom(history: ArrivalHistory): void {
    this.#jitter.learnFrom(history);
  }

  /** Plays to this sink from now on, first the turns that waited for one of this rate. */
  attach(sink: RingSink, sampleRate: number): void {
    this.detach();
    this.#sampleRate = sampleRate;
    this.#feeder = new Feeder(sink);
    if (this.#isPaused) sink.setPaused(true);
    this.#setFloor();
    this.#moveOn();
  }

  /**
   * Releases the sink. Turns that were not heard to their end go on at the next one.
   * @returns samples that were played since the last `poll`
   */
  detach(): readonly PlayedSamples[] {
    const feeder = this.#feeder;
    if (!feeder) return [];
    const { played } = feeder.poll();
    if (this.#replaying === null) this.#waiting = [...feeder.unheard(), ...this.#waiting];
    feeder.sink.close();
    this.#feeder = null;
    this.#replaying = null;
    return played;
  }

  get sink(): RingSink | null {
    return this.#feeder?.sink ?? null;
  }

  /** The current start floor, with its reason in words. */
  get floor(): StartFloor {
    return this.#jitter.floor;
  }

  get replaying(): number | null {
    return this.#replaying;
  }

  /** The rate of a turn that waits for another output, which the page must open; null where none does. */
  get wantedSampleRate(): number | null {
    return this.#waiting.find(({ turn }) => !this.#held.has(turn))?.store.sampleRate ?? null;
  }

  /** Samples of turns that wait for their release or for an output. */
  get waitingSamples(): number {
    return this.#waiting.reduce((sum, waiting) => sum + lengthOf(waiting), 0);
  }

  /** The samples of a turn; undefined for one without audio, and once it is forgotten. */
  store(turn: number): PcmStore | undefined {
    return this.#stores.get(turn);
  }

  /**
   * Decodes an audio frame into its turn's store and the ring. The first frame of a turn completes the turn before, and
   * ends a replay unless the turn is held. A faulty frame changes nothing. The caller drops frames of a cancelled turn.
   * @param arrivalMs its arrival on any steady clock
   */
  receive(
    turn: number,
    payload: AudioPayload,
    encoding: AudioEncoding,
    sampleRate: number,
    arrivalMs: number,
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
    if (turn !== this.#receiving) this.#beginReceiving(turn, store, fromSample);
    this.#jitter.frame(arrivalMs, (result.samples / sampleRate) * 1000);
    this.#setFloor();
    this.#feeder?.pump();
    return result;
  }

  /** Declares that no more audio of the turn will come. */
  complete(turn: number): void {
    this.#stores.get(turn)?.trim();
    for (const waiting of this.#waiting) if (waiting.turn === turn) waiting.toSample ??= waiting.store.length;
    this.#feeder?.complete(turn);
    if (this.#receiving !== turn) return;
    this.#receiving = null;
    this.#jitter.endTurn();
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
    const feeder = this.#feeder;
    feeder?.refresh();
    const queued = this.#replaying === null ? (feeder?.unheard() ?? []) : [];
    const next = [...queued, ...this.#waiting].find((candidate) => candidate.turn === turn);
    if (this.#stores.has(turn) && next?.fromSample !== 0) return false;
    this.#held.add(turn);
    if (feeder && next && queued.includes(next)) {
      feeder.clear();
      this.#waiting = [...queued, ...this.#waiting];
      this.#moveOn();
    }
    return true;
  }

  /** Queues a held turn behind those queued or released before it. Ends a replay. */
  release(turn: number): void {
    if (!this.#held.delete(turn)) return;
    const released = this.#waiting.filter((waiting) => waiting.turn === turn);
    if (released.length === 0) return;
    this.#waiting = [...this.#waiting.filter((waiting) => waiting.turn !== turn), ...released];
    this.#endReplay();
    this.#moveOn();
  }

  /**
   * Pauses everything, or lets it go on with the next sample. Unlike a held turn, a paused one may have been heard in
   * part. A clear does not end a pause.
   */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#feeder?.sink.setPaused(isPaused);
  }

  /** Barge-in on one turn: drops the rest of it. Other turns in the ring are queued again, as by `hold`. */
  drop(turn: number): void {
    this.#held.delete(turn);
    if (this.#receiving === turn) this.#receiving = null;
    this.#waiting = this.#waiting.filter((waiting) => waiting.turn !== turn);
    const feeder = this.#feeder;
    if (!feeder || this.#replaying !== null) return;
    feeder.refresh();
    const queued = feeder.unheard();
    const others = queued.filter((candidate) => candidate.turn !== turn);
    if (others.length === queued.length) return;
    feeder.clear();
    this.#waiting = [...others, ...this.#waiting];
    this.#moveOn();
  }

  /** Barge-in: drops all queued and held turns. Returns the new epoch; null where nothing is attached. */
  clear(): number | null {
    this.#waiting = [];
    this.#held.clear();
    this.#receiving = null;
    this.#replaying = null;
    return this.#feeder?.clear() ?? null;
  }

  /** Replays a turn in place of everything queued. Returns false where it has no such sample, or has another rate. */
  replay(turn: number, fromSample: number): boolean {
    const store = this.#stores.get(turn);
    if (!store || !this.#feeder || store.sampleRate !== this.#sampleRate) return false;
    if (fromSample < 0 || fromSample >= store.length) return false;
    this.clear();
    this.#replaying = turn;
    this.#feeder.enqueue(turn, store, fromSample, store.length);
    return true;
  }

  /** Releases a turn's samples. A queued, held or playing turn is still heard. */
  forget(turn: number): void {
    this.#stores.delete(turn);
  }

  /** Fills the ring, and reports what was heard. Called several times a second. Null where nothing is attached. */
  poll(): FeederReport | null {
    const feeder = this.#feeder;
    if (!feeder) return null;
    const report = feeder.poll();
    for (const { kind, epoch, at } of report.events) {
      if (kind === 'underrun' && at !== null && at.turn === this.#receiving) {
        this.#jitter.underrun();
        this.#setFloor();
      }
      // Where the end of a turn was announced late, the next turn resumes with its first sample.
      if (kind === 'resumed' && at !== null && at.sample > 0) this.#jitter.resumed();
      if (kind === 'ended' && epoch === feeder.sink.epoch && at?.turn === this.#replaying) {
        this.#replaying = null;
      }
    }
    feeder.pump();
    return report;
  }

  #beginReceiving(turn: number, store: PcmStore, fromSample: number): void {
    // A server that omits the end of a turn must not block the next one.
    if (this.#receiving !== null) this.complete(this.#receiving);
    this.#receiving = turn;
    this.#jitter.beginTurn();
    if (!this.#held.has(turn)) this.#endReplay();
    this.#waiting.push({ turn, store, fromSample, toSample: null });
    this.#moveOn();
  }

  #endReplay(): void {
    if (this.#replaying === null) return;
    this.#replaying = null;
    this.#feeder?.clear();
  }

  #moveOn(): void {
    const feeder = this.#feeder;
    if (!feeder) return;
    const stay: QueuedTurn[] = [];
    for (const waiting of this.#waiting) {
      const { turn, store, fromSample, toSample } = waiting;
      if (store.sampleRate !== this.#sampleRate || this.#held.has(turn)) stay.push(waiting);
      else feeder.enqueue(turn, store, fromSample, toSample);
    }
    this.#waiting = stay;
  }

  #setFloor(): void {
    const { floorMs, maxWaitMs } = this.#jitter.floor;
    const samples = this.#sampleRate / 1000;
    this.#feeder?.setFloor(floorMs * samples, maxWaitMs * samples);
  }
}
