import { FULL_SCALE } from '#lib/pcm.ts';
import * as layout from './layout.ts';

export type TrackState = 'idle' | 'buffering' | 'playing';

/** See `layout.ts`. */
export type RingEventKind =
  | 'started'
  | 'underrun'
  | 'resumed'
  | 'ended'
  | 'cleared'
  | 'realigned'
  | 'paused'
  | 'continued';

/** Whether a run of samples begins with the event; any other one ends it. */
export const beginsPlaying = (kind: RingEventKind): boolean =>
  kind === 'started' || kind === 'resumed' || kind === 'realigned' || kind === 'continued';

/** A change of what is heard, with the 32-bit position and audio frame where it happened. */
export interface RingEvent {
  kind: RingEventKind;
  frame: number;
  position: number;
  epoch: number;
}

/** The reader's slots as last read. Positions, frames and epochs are 32 bits that wrap. */
export interface PlayerStatus {
  /** The epoch that the other figures belong to: behind the feeder's own for a quantum after a clear. */
  epoch: number;
  /** The next sample to play. */
  position: number;
  /** The audio frame at which that sample plays, while playing. */
  frame: number;
  state: TrackState;
  /** Highest magnitude of the last moments before any gain, 0 to 1. */
  peak: number;
  /** Since the ring was made. */
  underruns: number;
  /** Since the last call, oldest first. */
  events: readonly RingEvent[];
  /** Events that were overwritten before they could be read: 64 or more in between. */
  eventsLost: number;
}

const KINDS: Record<number, RingEventKind> = {
  [layout.STARTED]: 'started',
  [layout.UNDERRUN]: 'underrun',
  [layout.RESUMED]: 'resumed',
  [layout.ENDED]: 'ended',
  [layout.CLEARED]: 'cleared',
  [layout.REALIGNED]: 'realigned',
  [layout.PAUSED]: 'paused',
  [layout.CONTINUED]: 'continued',
};

/** The reader writes for a few µs only; a torn view is better than a worker that hangs. */
const MAX_TRIES = 10_000;
const NO_EVENTS: readonly RingEvent[] = [];

/** Reads the reader's slots from the worker's side, and returns each event once. */
export class StatusReader {
  readonly #control: Int32Array;
  #seen: number;

  constructor(control: Int32Array) {
    this.#control = control;
    this.#seen = Atomics.load(control, layout.EVENTS);
  }

  read(): PlayerStatus {
    for (let tries = 1; ; tries += 1) {
      const before = Atomics.load(this.#control, layout.SEQUENCE);
      const status = this.#copy();
      const whole = (before & 1) === 0 && Atomics.load(this.#control, layout.SEQUENCE) === before;
      if (!whole && tries < MAX_TRIES) continue;
      this.#seen = (this.#seen + status.events.length + status.eventsLost) | 0;
      return status;
    }
  }

  #copy(): PlayerStatus {
    const slot = (at: number) => Atomics.load(this.#control, at);
    const state = slot(layout.STATE);
    const fresh = (slot(layout.EVENTS) - this.#seen) | 0;
    const kept = Math.min(fresh, layout.LOG_ENTRIES);
    return {
      epoch: slot(layout.READ_EPOCH),
      position: slot(layout.READ),
      frame: slot(layout.FRAME),
      state: state === layout.PLAYING ? 'playing' : state === layout.BUFFERING ? 'buffering' : 'idle',
      peak: slot(layout.PEAK) / FULL_SCALE,
      underruns: slot(layout.UNDERRUNS),
      events: kept > 0 ? this.#log(this.#seen + fresh - kept, kept) : NO_EVENTS,
      eventsLost: fresh - kept,
    };
  }

  #log(from: number, count: number): RingEvent[] {
    return Array.from({ length: count }, (_, i) => {
      const at = layout.LOG + ((from + i) & (layout.LOG_ENTRIES - 1)) * layout.LOG_ENTRY_SLOTS;
      const slot = (offset: number) => Atomics.load(this.#control, at + offset);
      return { kind: KINDS[slot(0)] ?? 'realigned', frame: slot(1), position: slot(2), epoch: slot(3) };
    });
  }
}

/** Unwraps a 32-bit value to the integer nearest to `near`, an integer too, that it can represent. */
const unwrap = (value: number, near: number): number => near + ((value - near) | 0);

/** Samples of the stream that left the player without a break. Position and frame are unwrapped. */
export interface PlayedPositions {
  epoch: number;
  position: number;
  count: number;
  /** The audio frame of the first of them. */
  frame: number;
}

/** Follows the reader: which sample left the player at which audio frame, exactly and once each. */
export class PlayLog {
  #frame = 0;
  #next: { epoch: number; position: number; frame: number } | null = null;

  /**
   * Unwraps a status, and returns what was played since the one before.
   * @param near an absolute count near to the positions
   */
  follow({ events, position, frame, epoch }: PlayerStatus, near: number) {
    const played: PlayedPositions[] = [];
    const unwrapped = events.map((event): RingEvent => {
      const at = { ...event, position: unwrap(event.position, near), frame: this.#unwrapFrame(event.frame) };
      this.#pass(at.epoch, at.position, played);
      this.#next = beginsPlaying(at.kind)
        ? { epoch: at.epoch, position: at.position, frame: at.frame }
        : null;
      return at;
    });
    const head = unwrap(position, near);
    this.#pass(epoch, head, played);
    return { events: unwrapped, position: head, frame: this.#unwrapFrame(frame), played };
  }

  #pass(epoch: number, position: number, played: PlayedPositions[]): void {
    const next = this.#next;
    // Where events were lost, the end of a run is unknown.
    if (next?.epoch !== epoch || position <= next.position) return;
    const count = position - next.position;
    played.push({ ...next, count });
    this.#next = { epoch, position, frame: next.frame + count };
  }

  /** The audio clock never goes back by half of 32 bits. */
  #unwrapFrame(frame: number): number {
    const unwrapped = unwrap(frame, this.#frame);
    this.#frame = Math.max(this.#frame, unwrapped);
    return unwrapped;
  }
}
