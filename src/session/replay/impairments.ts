import { seededRandom } from '#lib/statistics/random.ts';

/** What is added to the way from the server, in time of the recording. The same seed gives the same way. */
export interface Impairments {
  /** Every frame comes so much later, in the mean. */
  delayMs: number;
  /** Standard deviation of that. */
  jitterMs: number;
  /**
   * Share of frames, 0 to 1, of which a packet is lost. WebSocket lies on TCP, which loses nothing: the packet is sent
   * again after a while, and until then everything behind it waits too. So loss is heard as a stall, never as a hole.
   */
  stallShare: number;
  seed: number;
}

export const NO_IMPAIRMENTS: Impairments = { delayMs: 0, jitterMs: 0, stallShare: 0, seed: 1 };

/** The least time after which common systems send a lost packet again; it doubles each time that is lost as well. */
const RESEND_MS = 200;
const MAX_RESENDS = 5;

/** How much later each frame comes than it did, in the order of frames; that order is kept by whoever applies it. */
export function delaysOf({ delayMs, jitterMs, stallShare, seed }: Impairments): () => number {
  const random = seededRandom(seed);
  return () => {
    // As many numbers a frame whatever is added, so that one kind does not shift the other.
    const jitter = normal(random(), random()) * jitterMs;
    let chance = random();
    let stallMs = 0;
    for (let resends = 0, resendMs = RESEND_MS; chance < stallShare && resends < MAX_RESENDS; resends += 1) {
      stallMs += resendMs;
      resendMs *= 2;
      // What is left of a number that was below the share is again even, over [0, 1).
      chance /= stallShare;
    }
    return Math.max(0, delayMs + jitter) + stallMs;
  };
}

/** A number of the standard normal distribution, of two even ones (Box and Muller). */
const normal = (a: number, b: number): number => Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
