import type { PcmStore } from './pcm-store.ts';
import type { RingSink } from './sink.ts';
import { beginsPlaying, type PlayedPositions, type PlayerStatus, PlayLog, type RingEvent } from './status.ts';

/** A sample of a turn, counted from the turn's first. */
export interface TurnPosition {
  turn: number;
  sample: number;
}

/**
 * A change of what is heard, with its frame unwrapped; `at` is null for an unknown turn. An `underrun` lasts until
 * `resumed`. Before `ended` it is none, because the end of the turn was announced late.
 */
export interface PlayEvent extends Omit<RingEvent, 'position'> {
  at: TurnPosition | null;
}

/** Samples of a turn that left the player without a break, the first of them at that audio frame, unwrapped. */
export interface PlayedSamples extends TurnPosition, Omit<PlayedPositions, 'position'> {}

/** A snapshot of the player, with the audio frame unwrapped. */
export interface FeederReport extends Pick<PlayerStatus, 'epoch' | 'state' | 'frame' | 'peak'> {
  /** The next sample to leave the player, which it does at `frame` while playing. */
  head: TurnPosition | null;
  /** Samples received for playing and not played yet, in the ring and in front of it. */
  queuedSamples: number;
  events: readonly PlayEvent[];
  /** Samples that left the player since the last report, in the order of hearing. */
  played: readonly PlayedSamples[];
}

/** A part of a turn to be played. A turn has several parts where audio arrived after its end. */
export interface QueuedTurn {
  turn: number;
  store: PcmStore;
  fromSample: number;
  /** Behind the last sample to play; null while more may come. */
  toSample: number | null;
}

/** Received samples of the part. */
export const lengthOf = ({ store, fromSample, toSample }: QueuedTurn): number =>
  (toSample ?? store.length) - fromSample;

interface Segment extends QueuedTurn {
  next: number;
  /** Absolute position behind its last sample; null until all of it is in the ring. */
  endPosition: number | null;
}

/** Received samples of the part that are not in the ring. */
const restOf = ({ store, toSample, next }: Segment): number => (toSample ?? store.length) - next;

/** The place of samples of a turn in the stream. Positions are absolute: not wrapped. */
interface Span extends TurnPosition, Omit<PlayedPositions, 'frame'> {}

const REMEMBERED_SPANS = 256;

/** Fills the ring from a queue of turns, and maps its positions to samples. `pump` moves samples as the ring has room. */
export class Feeder {
  readonly sink: RingSink;
  readonly #log = new PlayLog();
  readonly #spans: Span[] = [];
  /** Not all in the ring yet, in order. */
  #queue: Segment[] = [];
  /** Queued and not known to be heard to its end; in order. */
  #unheard: Segment[] = [];
  /** Absolute count behind the last sample queued. */
  #written: number;
  /** Absolute count where the sink's epoch begins. */
  #epochStart: number;
  #read: number;
  #readEpoch: number;
  #events: PlayEvent[] = [];
  #played: PlayedSamples[] = [];
  #floorSamples = -1;
  #maxWaitSamples = -1;

  constructor(sink: RingSink) {
    this.sink = sink;
    this.#written = sink.writePosition;
    this.#epochStart = this.#written;
    this.#read = this.#written;
    this.#readEpoch = sink.epoch;
  }

  /** Queues a turn from a sample on. Without an end it grows until `complete`. */
  enqueue(turn: number, store: PcmStore, fromSample = 0, toSample: number | null = null): void {
    const segment = { turn, store, fromSample, toSample, next: fromSample, endPosition: null };
    this.#queue.push(segment);
    this.#unheard.push(segment);
    this.pump();
  }

  complete(turn: number): void {
    for (const segment of this.#queue) if (segment.turn === turn) segment.toSample ??= segment.store.length;
    this.pump();
  }

  /** Moves samples into the ring as room allows. Called after every audio frame, and from a timer. */
  pump(): void {
    for (let segment = this.#queue[0]; segment; segment = this.#queue[0]) {
      for (let rest = restOf(segment); rest > 0; rest = restOf(segment)) {
        const accepted = this.sink.write(segment.store.view(segment.next, rest));
        if (accepted === 0) return;
        this.#note(segment, accepted);
      }
      if (segment.toSample === null) return;
      segment.endPosition = this.#written;
      this.#queue.shift();
      this.sink.end();
    }
  }

  /** Drops everything that has not been played, and returns the new epoch. */
  clear(): number {
    this.#queue = [];
    this.#unheard = [];
    this.#epochStart = this.#written;
    return this.sink.clear();
  }

  /** The queued turns without the samples that were heard by the last `refresh`, in order. */
  unheard(): QueuedTurn[] {
    return this.#unheard.map(({ turn, store, fromSample, toSample }) => ({
      turn,
      store,
      fromSample: Math.max(fromSample, this.#heardBefore(turn)),
      toSample,
    }));
  }

  setFloor(floorSamples: number, maxWaitSamples: number): void {
    const floor = Math.ceil(floorSamples);
    const maxWait = Math.ceil(maxWaitSamples);
    if (floor === this.#floorSamples && maxWait === this.#maxWaitSamples) return;
    this.#floorSamples = floor;
    this.#maxWaitSamples = maxWait;
    this.sink.setFloor(floor, maxWait);
  }

  /** Reads the ring's status. Events and played samples are kept for the next {@link poll}. */
  refresh(): PlayerStatus {
    const status = this.sink.status();
    const { events, position, frame, played } = this.#log.follow(status, this.#written);
    this.#read = position;
    this.#readEpoch = status.epoch;
    if (status.epoch === this.sink.epoch) {
      this.#unheard = this.#unheard.filter(
        ({ endPosition }) => endPosition === null || position < endPosition,
      );
    }
    this.#events.push(...events.map((event) => this.#eventOf(event)));
    this.#played.push(...played.flatMap((part) => this.#turnsIn(part)));
    return { ...status, frame };
  }

  /** Refreshes, and reports each event and played sample once. There must be one caller. */
  poll(): FeederReport {
    const { epoch, state, frame, peak } = this.refresh();
    const report: FeederReport = {
      epoch,
      state,
      head: this.locate(this.#read, epoch),
      frame,
      peak,
      queuedSamples: this.#queuedSamples(),
      events: this.#events,
      played: this.#played,
    };
    this.#events = [];
    this.#played = [];
    return report;
  }

  #eventOf({ kind, frame, position, epoch }: RingEvent): PlayEvent {
    const at = beginsPlaying(kind) ? this.locate(position, epoch) : this.#locateEnd(position, epoch);
    return { kind, frame, epoch, at };
  }

  /** Maps positions to samples of turns, except for those that were forgotten. */
  #turnsIn({ epoch, position, count, frame }: PlayedPositions): PlayedSamples[] {
    const ranges: PlayedSamples[] = [];
    for (const span of this.#spans) {
      if (span.epoch !== epoch) continue;
      const from = Math.max(position, span.position);
      const to = Math.min(position + count, span.position + span.count);
      if (from >= to) continue;
      const sample = span.sample + (from - span.position);
      ranges.push({ turn: span.turn, sample, count: to - from, frame: frame + (from - position), epoch });
    }
    return ranges;
  }

  /** Returns the sample at an absolute position, or the end of the last turn; null for an unknown position. */
  locate(position: number, epoch: number): TurnPosition | null {
    for (let i = this.#spans.length - 1; i >= 0; i -= 1) {
      const span = this.#spans[i];
      if (!span || span.epoch !== epoch || position < span.position) continue;
      const offset = position - span.position;
      return offset <= span.count ? { turn: span.turn, sample: span.sample + offset } : null;
    }
    return null;
  }

  /** Behind the last sample of a turn that was heard in this epoch. */
  #heardBefore(turn: number): number {
    const { epoch } = this.sink;
    if (this.#readEpoch !== epoch) return 0;
    return this.#spans.reduce((before, span) => {
      if (span.turn !== turn || span.epoch !== epoch || span.position >= this.#read) return before;
      return Math.max(before, span.sample + Math.min(span.count, this.#read - span.position));
    }, 0);
  }

  /** Where playing stopped: behind the last sample of a turn, rather than at the first one of the next. */
  #locateEnd(position: number, epoch: number): TurnPosition | null {
    const last = this.locate(position - 1, epoch);
    return last ? { turn: last.turn, sample: last.sample + 1 } : this.locate(position, epoch);
  }

  #queuedSamples(): number {
    // A reader that has not followed a clear yet has played nothing of the samples behind it.
    const from = this.#readEpoch === this.sink.epoch ? this.#read : this.#epochStart;
    return this.#queue.reduce((sum, segment) => sum + restOf(segment), this.#written - from);
  }

  #note(segment: Segment, count: number): void {
    const { epoch } = this.sink;
    const last = this.#spans.at(-1);
    if (
      last &&
      last.epoch === epoch &&
      last.turn === segment.turn &&
      last.sample + last.count === segment.next &&
      last.position + last.count === this.#written
    ) {
      last.count += count;
    } else {
      this.#spans.push({
        epoch,
        position: this.#written,
        count,
        turn: segment.turn,
        sample: segment.next,
      });
      if (this.#spans.length > REMEMBERED_SPANS) this.#spans.shift();
    }
    this.#written += count;
    segment.next += count;
  }
}
