import type { RingEventKind } from './status.ts';

/** Samples of the stream that left the player without a break. Positions are absolute: not wrapped. */
export interface HeardPart {
  epoch: number;
  position: number;
  count: number;
  /** The audio frame at which the first of them did. */
  frame: number;
}

/** Something that was heard, with position and frame unwrapped. */
interface HeardMoment {
  kind: RingEventKind;
  epoch: number;
  position: number;
  frame: number;
}

/**
 * What has left the player since one last asked, sample for sample and once each: the reader says where each stretch
 * begins and ends, and how far the one that goes on has come.
 */
export class HeardProgress {
  /** The next sample of the stretch that goes on. */
  #next: { epoch: number; position: number; frame: number } | null = null;

  /**
   * @param events since the last call, oldest first
   * @param now the next sample to play
   */
  since(events: readonly HeardMoment[], now: { epoch: number; position: number }): HeardPart[] {
    const parts: HeardPart[] = [];
    for (const { kind, epoch, position, frame } of events) {
      this.#pass(epoch, position, parts);
      const begins = kind === 'started' || kind === 'resumed' || kind === 'realigned';
      this.#next = begins ? { epoch, position, frame } : null;
    }
    this.#pass(now.epoch, now.position, parts);
    return parts;
  }

  #pass(epoch: number, position: number, parts: HeardPart[]): void {
    const next = this.#next;
    // Where events were lost, a stretch has ended that nobody has told of.
    if (next?.epoch !== epoch || position <= next.position) return;
    const count = position - next.position;
    parts.push({ ...next, count });
    this.#next = { epoch, position, frame: next.frame + count };
  }
}
