import { monitorEventLoopDelay } from 'node:perf_hooks';
import { watchTurns } from './loop-turns.ts';
import { type Stall, watchStalls } from './stalls.ts';

/** Memory and delays of a server process, in MiB and milliseconds. */
export interface ProbedFigures {
  /** Used heap and external memory after a collection, with captured frames. */
  heapMiB: number;
  residentMiB: number;
  /** Delays of the event loop since the last question. */
  loopP99Ms: number;
  loopMaxMs: number;
  /** Processor time of the loop's longest turn since the last question. */
  turnMaxMs: number;
  stalls: readonly Stall[];
}

const MIB = 2 ** 20;
const RESOLUTION_MS = 10;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
const stallsSoFar = watchStalls();
const longestTurn = watchTurns();

/** Loaded into the server's process by `--import`. Answers every message of its parent with the figures of now. */
process.on('message', () => {
  const loopP99Ms = Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS);
  const loopMaxMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
  const stalls = stallsSoFar();
  const turnMaxMs = longestTurn();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  // The collection is no delay of the server's own, but may be heard as one.
  delays.reset();
  longestTurn();
  const figures: ProbedFigures = {
    heapMiB: (heapUsed + external) / MIB,
    residentMiB: rss / MIB,
    loopP99Ms,
    loopMaxMs,
    turnMaxMs,
    stalls,
  };
  process.send?.(figures);
});
