import type { AudioEncoding, AudioPayload } from '#protocol/core/speech-event.ts';
import {
  Feeder,
  type FeederReport,
  lengthOf,
  type PlayEvent,
  type PlayedSamples,
  type QueuedTurn,
} from './feeder.ts';
import { JitterEstimator, type StartFloor } from './jitter.ts';
import { type AppendResult, PcmStore } from './pcm-store.ts';
import type { RingSink } from './sink.ts';

/**
 * The worker's whole player for one track: an audio frame goes in as it arrived, and is heard at its time. Turns are
 * named by numbers that the caller chooses, and each keeps its samples until it is forgotten.
 *
 * Where there is no output yet, or one of another rate, turns are received all the same and play once there is one. So
 * are turns that are held back, until they are released.
 */
export class Player {
  readonly #stores = new Map<number, PcmStore>();
  readonly #jitter = new JitterEstimator();
  #feeder: Feeder | null = null;
  #sampleRate = 0;
  /** Turns with audio that are not at the feeder: held back, or without an output of their rate. */
  #waiting: QueuedTurn[] = [];
  /** Not to be heard until they are released. */
  readonly #held = new Set<number>();
  /** Read from the feeder and not reported by `poll` yet. */
  #unreported: PlayEvent[] = [];
  #unreportedPlayed: PlayedSamples[] = [];
  /** The turn that audio arrives for. */
  #receiving: number | null = null;
  #replaying: number | null = null;

  /** Plays to this sink from now on, beginning with what has waited for one of this rate. */
  attach(sink: RingSink, sampleRate: number): void {
    this.detach();
    this.#sampleRate = sampleRate;
    const feeder = new Feeder(sink);
    this.#feeder = feeder;
    this.#setFloor();
    this.#moveOn();
  }

  /**
   * The output goes away. What was not heard yet goes on at the next one, from where it was heard last.
   * @returns samples that were played since the last `poll`
   */
  detach(): readonly PlayedSamples[] {
    const feeder = this.#feeder;
    if (!feeder) return [];
    this.#read(feeder);
    const played = this.#unreportedPlayed;
    if (this.#replaying === null) this.#waiting = [...feeder.unheard(), ...this.#waiting];
    feeder.sink.close();
    this.#feeder = null;
    this.#replaying = null;
    this.#unreported = [];
    this.#unreportedPlayed = [];
    return played;
  }

  /** Null where nothing is attached. */
  get sink(): RingSink | null {
    return this.#feeder?.sink ?? null;
  }

  /** The start floor as of now, with its reason in words. */
  get floor(): StartFloor {
    return this.#jitter.floor;
  }

  /** The turn that is heard again, or null. */
  get replaying(): number | null {
    return this.#replaying;
  }

  /** The rate of a turn that waits for an output of its own, or null: the page has to open one. */
  get wantedSampleRate(): number | null {
    return this.#waiting.find(({ turn }) => !this.#held.has(turn))?.store.sampleRate ?? null;
  }

  /** Samples of turns that wait, for their release or for an output. */
  get waitingSamples(): number {
    return this.#waiting.reduce((sum, waiting) => sum + lengthOf(waiting), 0);
  }

  /** The samples of a turn; none for one that never had audio or is forgotten. */
  store(turn: number): PcmStore | undefined {
    return this.#stores.get(turn);
  }

  /**
   * An audio frame of a turn: decoded into the turn's store and moved on to the ring. The first one of a turn begins it,
   * completes the one before, and ends a replay unless the turn is held back. A frame that cannot be decoded changes
   * nothing. Frames of a cancelled turn are the caller's to drop.
   * @param arrivalMs when it arrived, on any clock that goes on evenly
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

  /** No more audio of the turn will come. */
  complete(turn: number): void {
    for (const waiting of this.#waiting) if (waiting.turn === turn) waiting.toSample ??= waiting.store.length;
    this.#feeder?.complete(turn);
    if (this.#receiving === turn) this.#receiving = null;
  }

  /**
   * Keeps a turn from being heard until it is released, whether or not its audio is there already. False, and nothing
   * changes, where it has begun to be heard or was dropped: that is too late.
   *
   * What is queued already is taken back by clearing the ring and queueing all others anew, the one that plays from
   * where it was last known to be. The reader has gone on since by what it plays until it sees the clear, so that a few
   * milliseconds are heard twice: a quantum or two over shared memory, and what the last report is behind over messages.
   */
  hold(turn: number): boolean {
    if (this.#held.has(turn)) return true;
    const feeder = this.#feeder;
    if (feeder) this.#read(feeder);
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

  /** The turn is heard as soon as all that was queued or released before it has been. Ends a replay. */
  release(turn: number): void {
    if (!this.#held.delete(turn)) return;
    const released = this.#waiting.filter((waiting) => waiting.turn === turn);
    if (released.length === 0) return;
    this.#waiting = [...this.#waiting.filter((waiting) => waiting.turn !== turn), ...released];
    this.#endReplay();
    this.#moveOn();
  }

  /** Barge-in on one turn: nothing more of it is heard. All others are, and others in the ring are queued anew, as by `hold`. */
  drop(turn: number): void {
    this.#held.delete(turn);
    if (this.#receiving === turn) this.#receiving = null;
    this.#waiting = this.#waiting.filter((waiting) => waiting.turn !== turn);
    const feeder = this.#feeder;
    if (!feeder || this.#replaying !== null) return;
    this.#read(feeder);
    const queued = feeder.unheard();
    const others = queued.filter((candidate) => candidate.turn !== turn);
    if (others.length === queued.length) return;
    feeder.clear();
    this.#waiting = [...others, ...this.#waiting];
    this.#moveOn();
  }

  /** Barge-in: nothing that was queued or held back is played any more. Gives back the new epoch, null where nothing is attached. */
  clear(): number | null {
    this.#waiting = [];
    this.#held.clear();
    this.#receiving = null;
    this.#replaying = null;
    return this.#feeder?.clear() ?? null;
  }

  /** Plays a turn again, in place of whatever plays now. False when it has no such sample, or not at this output's rate. */
  replay(turn: number, fromSample: number): boolean {
    const store = this.#stores.get(turn);
    if (!store || !this.#feeder || store.sampleRate !== this.#sampleRate) return false;
    if (fromSample < 0 || fromSample >= store.length) return false;
    this.clear();
    this.#replaying = turn;
    this.#feeder.enqueue(turn, store, fromSample, store.length);
    return true;
  }

  /** Lets go of a complete turn's samples; one that is queued, held back or being played is heard all the same. */
  forget(turn: number): void {
    this.#stores.delete(turn);
  }

  /** From a timer, several times a second: fills the ring, and tells what was heard. Null where nothing is attached. */
  poll(): FeederReport | null {
    const feeder = this.#feeder;
    if (!feeder) return null;
    const fresh = feeder.poll();
    const report = {
      ...fresh,
      events: [...this.#unreported, ...fresh.events],
      played: [...this.#unreportedPlayed, ...fresh.played],
    };
    this.#unreported = [];
    this.#unreportedPlayed = [];
    for (const { kind, epoch, at } of report.events) {
      if (kind === 'underrun' && at !== null && at.turn === this.#receiving) {
        this.#jitter.underrun();
        this.#setFloor();
      }
      if (kind === 'ended' && epoch === feeder.sink.epoch && at?.turn === this.#replaying) {
        this.#replaying = null;
      }
    }
    feeder.pump();
    return report;
  }

  /** Brings the feeder up to date; what it tells is kept for the next `poll`. */
  #read(feeder: Feeder): void {
    const { events, played } = feeder.poll();
    this.#unreported.push(...events);
    this.#unreportedPlayed.push(...played);
  }

  #beginReceiving(turn: number, store: PcmStore, fromSample: number): void {
    // A server that leaves out the end of a turn must not hold up the next one.
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

  /** Gives the feeder what it can play now. */
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
