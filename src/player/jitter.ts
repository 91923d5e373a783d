import { ArrivalHistory, Arrivals, type Expectation } from './arrivals.ts';

/** The allowance for late audio frames while gaps are unknown: above 0, so that a single frame never suffices. */
const UNKNOWN_ALLOWANCE_MS = 60;
/** Added to expected lateness, for scheduling. The quantum in which playing starts comes on top. */
const MARGIN_MS = 12;
/** No turn waits for more audio than this, unless a single audio frame is longer. */
const MAX_TARGET_MS = 1500;
/** The limit after an underrun, which has delayed the turn already. */
const MAX_RESUME_ALLOWANCE_MS = 250;
/** The wait does not grow with the frames of a server that sends seconds at once. */
const MAX_WAITED_FRAME_MS = 400;

const NOTHING_EXPECTED: Expectation = {
  isKnown: false,
  carefulTurns: 0,
  neededMs: () => Number.NEGATIVE_INFINITY,
};

/** The prebuffer target with its reason. */
export interface PrebufferTarget {
  /** The audio to be queued before playing starts. */
  targetMs: number;
  /** The longest wait for it, from the first audio on. */
  maxWaitMs: number;
  reason: string;
}

/**
 * Chooses when a turn starts playing, from its audio frames so far and from earlier turns. Times are ms on any one clock.
 *
 * - **Careful**, while gaps are unknown and for ten turns after an underrun: playing starts with more audio than the
 *   largest frame and the delay that turns needed, 60 ms at least, or after as long a wait.
 * - **Known**: playing starts once every audio frame may be as much later than the ones here as any was in earlier
 *   turns. After frame j of lateness xj, the next ones have at most xj + needed, so the start is the least of these over
 *   the frames here, plus a margin. Where audio comes faster than it plays, that is the arrival of the first frame.
 *
 * The risk of the second rule: audio comes as never before. At most one of any eleven turns starts too early by it,
 * see {@link ArrivalHistory}.
 */
export class JitterEstimator {
  #history: ArrivalHistory;
  #expected = NOTHING_EXPECTED;
  #arrivals = new Arrivals();
  #largestFrameMs = 0;
  #firstFrameMs = 0;
  /** When the frames here let playing start, since the first. */
  #startMs = Number.POSITIVE_INFINITY;
  #underrun = false;
  /** The last choice; null once one of its inputs has changed. */
  #target: PrebufferTarget | null = null;

  constructor(history = new ArrivalHistory()) {
    this.#history = history;
  }

  /** Learns from the turns of another endpoint or server, and adds to them. */
  learnFrom(history: ArrivalHistory): void {
    if (history === this.#history) return;
    this.endTurn();
    this.#history = history;
  }

  beginTurn(): void {
    this.endTurn();
    this.#expected = this.#history.expect();
    // Until its first frame, the frame size of the turn before is assumed.
    this.#startMs = Number.POSITIVE_INFINITY;
    this.#underrun = false;
    this.#target = null;
  }

  /** Remembers the turn, unless it had a single frame. */
  endTurn(): void {
    const pace = this.#arrivals.pace();
    if (pace) this.#history.remember(pace);
    this.#arrivals = new Arrivals();
  }

  frame(arrivalMs: number, durationMs: number): void {
    const isFirst = this.#arrivals.frames === 0;
    const before = this.#arrivals.riseMs;
    const latenessMs = this.#arrivals.add(arrivalMs, durationMs);
    const startMs = latenessMs + this.#expected.neededMs(durationMs);
    if (isFirst) this.#firstFrameMs = durationMs;
    if (isFirst || startMs < this.#startMs || this.#arrivals.riseMs > before) this.#target = null;
    if (durationMs > this.#largestFrameMs) this.#target = null;
    this.#startMs = Math.min(this.#startMs, startMs);
    this.#largestFrameMs = isFirst ? durationMs : Math.max(this.#largestFrameMs, durationMs);
  }

  /** The turn that is being received ran dry, perhaps at its end. */
  underrun(): void {
    this.#underrun = true;
    this.#target = null;
  }

  /** A turn continued after an underrun, so it was not at its end. */
  resumed(): void {
    this.#history.underrun();
  }

  get target(): PrebufferTarget {
    this.#target ??= this.#choose();
    return this.#target;
  }

  #choose(): PrebufferTarget {
    const frameMs = this.#largestFrameMs;
    if (frameMs === 0) return { targetMs: 0, maxWaitMs: 0, reason: 'no audio yet' };
    const { isKnown, carefulTurns } = this.#expected;
    const seenMs = this.#arrivals.riseMs > 0 ? this.#arrivals.riseMs + MARGIN_MS : 0;
    const expectedMs = Math.max(0, this.#expected.neededMs(this.#firstFrameMs) + MARGIN_MS);
    if (this.#underrun) {
      const allowanceMs = Math.min(Math.max(seenMs, UNKNOWN_ALLOWANCE_MS), MAX_RESUME_ALLOWANCE_MS);
      return careful(frameMs, allowanceMs, 'after an underrun in this turn');
    }
    if (!isKnown) {
      const allowanceMs = Math.max(seenMs, expectedMs, UNKNOWN_ALLOWANCE_MS);
      const why =
        carefulTurns === 0
          ? 'until gaps are known'
          : `for ${carefulTurns} more ${carefulTurns === 1 ? 'turn' : 'turns'} after an underrun`;
      return careful(frameMs, allowanceMs, why);
    }
    const allowanceMs = Math.max(seenMs, expectedMs);
    if (allowanceMs === 0) {
      const reason = `one audio frame of ${Math.round(frameMs)} ms because recent turns had no gaps`;
      return { targetMs: frameMs, maxWaitMs: 0, reason };
    }
    const startMs = Math.max(this.#startMs + MARGIN_MS, this.#arrivals.leastLatenessMs + seenMs);
    const why = seenMs > expectedMs ? 'gaps seen in this turn' : 'gaps of recent turns';
    const target = careful(frameMs, allowanceMs, `for ${why}`);
    const maxWaitMs = Math.min(target.targetMs, Math.max(0, Math.min(startMs, allowanceMs)));
    return { ...target, maxWaitMs, reason: `${target.reason}, or a wait of ${Math.round(maxWaitMs)} ms` };
  }
}

/** An audio frame and more, or as long a wait. */
function careful(frameMs: number, allowanceMs: number, why: string): PrebufferTarget {
  const targetMs = Math.max(frameMs, Math.min(MAX_TARGET_MS, frameMs + allowanceMs));
  const added = Math.round(targetMs - frameMs);
  return {
    targetMs,
    maxWaitMs: Math.min(targetMs, Math.min(frameMs, MAX_WAITED_FRAME_MS) + allowanceMs),
    reason: `one audio frame of ${Math.round(frameMs)} ms${added > 0 ? ` + ${added} ms` : ''} ${why}`,
  };
}
