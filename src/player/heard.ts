import type { RingEvent } from './status.ts';

/** Unwraps a 32-bit value to the integer nearest to `near`, an integer too, that it can stand for. */
export const unwrap = (value: number, near: number): number => near + ((value - near) | 0);

/** A stretch of samples heard without a break: sample `position + n` plays at audio frame `frame + n`. */
interface Stretch {
  epoch: number;
  /** Absolute: not wrapped. */
  position: number;
  frame: number;
  /** Behind its last sample; null while it goes on. */
  endPosition: number | null;
}

const REMEMBERED_STRETCHES = 256;

/**
 * Which sample played at which audio frame: exact, because the reader says where every stretch begins and ends.
 * Positions are absolute counts here, given once they have been unwrapped.
 */
export class HeardStretches {
  readonly #stretches: Stretch[] = [];
  #frame = 0;

  /** @param position that of the event, unwrapped. Gives back the audio frame, unwrapped. */
  note(event: RingEvent, position: number): number {
    const frame = this.frameOf(event.frame);
    const last = this.#stretches.at(-1);
    if (last && last.endPosition === null) last.endPosition = position;
    if (event.kind === 'started' || event.kind === 'resumed' || event.kind === 'realigned') {
      this.#stretches.push({ epoch: event.epoch, position, frame, endPosition: null });
      if (this.#stretches.length > REMEMBERED_STRETCHES) this.#stretches.shift();
    }
    return frame;
  }

  /** Unwraps an audio frame; the clock never goes back by half its range. */
  frameOf(frame: number): number {
    const unwrapped = unwrap(frame, this.#frame);
    this.#frame = Math.max(this.#frame, unwrapped);
    return unwrapped;
  }

  /**
   * The audio frame of a position of that epoch, also ahead of what has been played while its stretch goes on; null when
   * it was dropped, is forgotten, or its stretch has not begun.
   */
  frameAt(position: number, epoch: number): number | null {
    for (let i = this.#stretches.length - 1; i >= 0; i -= 1) {
      const stretch = this.#stretches[i];
      if (!stretch || stretch.epoch !== epoch || position < stretch.position) continue;
      if (stretch.endPosition !== null && position >= stretch.endPosition) continue;
      return stretch.frame + (position - stretch.position);
    }
    return null;
  }
}
