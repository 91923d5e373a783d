import { seededRandom } from '#lib/statistics/random.ts';

/** A simulated network between server and replay, in time of the recording. The same seed gives the same delays. */
export interface Impairments {
  delayMs: number;
  /** Standard deviation of the delay. */
  jitterMs: number;
  /** Share of frames, 0 to 1, that lose a packet, which TCP resends. A loss is a stall, never missing audio. */
  stallShare: number;
  seed: number;
}

export const NO_IMPAIRMENTS: Impairments = { delayMs: 0, jitterMs: 0, stallShare: 0, seed: 1 };

/** Shortest retransmission timeout of common systems. It doubles with each further loss of the packet. */
const RESEND_MS = 200;
const MAX_RESENDS = 5;

/** Returns a function that draws the delay of each next frame in ms. The caller keeps the order of frames. */
export function delaysOf({ delayMs, jitterMs, stallShare, seed }: Impairments): () => number {
  const random = seededRandom(seed);
  return () => {
    // Every frame draws the same count of numbers, so that one impairment does not change another.
    const jitter = normal(random(), random()) * jitterMs;
    let chance = random();
    let stallMs = 0;
    for (let resends = 0, resendMs = RESEND_MS; chance < stallShare && resends < MAX_RESENDS; resends += 1) {
      stallMs += resendMs;
      resendMs *= 2;
      // Divided by the share, a number below it is again uniform over [0, 1).
      chance /= stallShare;
    }
    return Math.max(0, delayMs + jitter) + stallMs;
  };
}

/** Returns a standard normal number from two uniform ones (Box and Muller). */
const normal = (a: number, b: number): number => Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);
