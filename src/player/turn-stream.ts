import { addAll } from '#lib/collections/arrays.ts';
import type { RingSink } from './ring.ts';
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

/** A snapshot of the reader, with the audio frame unwrapped. */
export interface StreamReport extends Pick<PlayerStatus, 'epoch' | 'state' | 'frame' | 'peak'> {
  /** The next sample to leave the player, which it does at `frame` while playing. */
  head: TurnPosition | null;
  events: readonly PlayEvent[];
  /** Samples that left the player since the last report, in the order of hearing. */
  played: readonly PlayedSamples[];
}

/** The place of samples of a turn in the stream. Positions are absolute: not wrapped. */
export interface StreamSpan extends TurnPosition, Omit<PlayedPositions, 'frame'> {}

const REMEMBERED_SPANS = 256;

/** Maps positions of one ring to samples of turns, also of those that were played. */
export class TurnStream {
  readonly sink: RingSink;
  readonly #log = new PlayLog();
  readonly #spans: StreamSpan[] = [];
  /** Behind the last sample written. */
  #written: number;
  /** The next sample to be played by the last {@link refresh}. */
  #read: number;
  #readEpoch: number;
  #events: PlayEvent[] = [];
  #played: PlayedSamples[] = [];

  constructor(sink: RingSink) {
    this.sink = sink;
    this.#written = sink.writePosition;
    this.#read = this.#written;
    this.#readEpoch = sink.epoch;
  }

  /**
   * Notes samples of a turn that were written to the sink.
   * @param span with the samples of the turn before them in this epoch; null begins one
   * @returns the span with them
   */
  wrote(span: StreamSpan | null, turn: number, sample: number, count: number): StreamSpan {
    const written = span ?? { epoch: this.sink.epoch, position: this.#written, count: 0, turn, sample };
    if (!span) this.#remember(written);
    written.count += count;
    this.#written += count;
    return written;
  }

  /** Reads the ring's status. Events and played samples are kept for the next {@link poll}. */
  refresh(): PlayerStatus {
    const status = this.sink.status();
    const { events, position, frame, played } = this.#log.follow(status, this.#written);
    this.#read = position;
    this.#readEpoch = status.epoch;
    addAll(
      this.#events,
      events.map((event) => this.#eventOf(event)),
    );
    addAll(
      this.#played,
      played.flatMap((part) => this.#turnsIn(part)),
    );
    return { ...status, frame };
  }

  /** Refreshes, and reports each event and played sample once. There must be one caller. */
  poll(): StreamReport {
    const { epoch, state, frame, peak } = this.refresh();
    const head = this.#locate(this.#read, epoch);
    const report = { epoch, state, head, frame, peak, events: this.#events, played: this.#played };
    this.#events = [];
    this.#played = [];
    return report;
  }

  /** Samples of a span that were played; none where the reader has not followed its epoch yet. */
  playedOf({ epoch, position, count }: StreamSpan): number {
    return this.#readEpoch === epoch ? Math.min(count, Math.max(0, this.#read - position)) : 0;
  }

  #remember(span: StreamSpan): void {
    this.#spans.push(span);
    if (this.#spans.length > REMEMBERED_SPANS) this.#spans.shift();
  }

  #eventOf({ kind, frame, position, epoch }: RingEvent): PlayEvent {
    const at = beginsPlaying(kind) ? this.#locate(position, epoch) : this.#locateEnd(position, epoch);
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

  /** Returns the sample at a position, or the end of the last turn; null for an unknown position. */
  #locate(position: number, epoch: number): TurnPosition | null {
    const span = this.#spans.findLast((one) => one.epoch === epoch && position >= one.position);
    const offset = position - (span?.position ?? 0);
    return span && offset <= span.count ? { turn: span.turn, sample: span.sample + offset } : null;
  }

  /** Where playing stopped: behind the last sample of a turn, rather than at the first one of the next. */
  #locateEnd(position: number, epoch: number): TurnPosition | null {
    const last = this.#locate(position - 1, epoch);
    return last ? { turn: last.turn, sample: last.sample + 1 } : this.#locate(position, epoch);
  }
}
