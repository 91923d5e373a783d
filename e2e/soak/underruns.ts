import type { Stall } from '../bench/stalls.ts';
import type { CpuShares } from './cpu.ts';
import type { HeardUnderrun } from './page-watch.ts';

/**
 * Why an underrun says nothing about the page or the server: the soak was collecting garbage, the machine stood still, or
 * other programs took the CPU.
 */
export type Excuse = 'measuring' | 'stall' | 'load';

/** What disturbed the machine. */
export interface Disturbances {
  /** Times in which the soak measured. */
  measured: readonly Stall[];
  /** Of the server's and of the soak's own process. The page's thread is not asked: its stalls must not be heard. */
  stalls: readonly Stall[];
  cpu: readonly CpuShares[];
}

/** A disturbance may be heard if it ends this long before the underrun, or during it. */
const BEFORE_MS = 1000;
/** Other programs that use more of the CPU delay the server. */
const MOST_OTHERS = 0.25;
/** Audio that comes this long before it is heard may be late for the output, which buffers. */
const OUTPUT_MS = 100;

/** Returns the excuse of an underrun; null where there is none. */
export function excuseOf(underrun: HeardUnderrun, { measured, stalls, cpu }: Disturbances): Excuse | null {
  const { atMs, lengthMs, audioLateMs } = underrun;
  const isNear = (time: Stall): boolean =>
    time.atMs >= atMs - BEFORE_MS && time.atMs - time.ms <= atMs + lengthMs;
  if (measured.some(isNear)) return 'measuring';
  if (stalls.some(isNear)) return 'stall';
  // A load delays what comes, but audio that was there must have been played.
  const isLate = audioLateMs === null || audioLateMs > -OUTPUT_MS;
  return isLate && cpu.some((shares) => shares.others > MOST_OTHERS && isNear(shares)) ? 'load' : null;
}

export const underrunWords = ({ endpoint, turn, atMs, lengthMs, audioLateMs }: HeardUnderrun): string =>
  `${lengthMs.toFixed(0)} ms on ${endpoint}, turn ${turn}, at ${new Date(atMs).toISOString()}: ${lateWords(audioLateMs)}`;

function lateWords(audioLateMs: number | null): string {
  if (audioLateMs === null) return 'its audio never came';
  return audioLateMs > -OUTPUT_MS
    ? `its audio came ${audioLateMs.toFixed(0)} ms after it was due`
    : `its audio had been there for ${(-audioLateMs).toFixed(0)} ms`;
}
