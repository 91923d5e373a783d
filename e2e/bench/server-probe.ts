import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Memory and delays of a server process, in MiB and milliseconds. */
export interface ProbedFigures {
  /** Used heap and external memory after a collection. */
  heapMiB: number;
  residentMiB: number;
  /** Delays of the event loop since the last question. */
  loopP99Ms: number;
  loopMaxMs: number;
}

const MIB = 2 ** 20;
const RESOLUTION_MS = 10;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

/** Loaded into the server's process by `--import`. Answers every message of its parent with the figures of now. */
process.on('message', () => {
  const loopP99Ms = delays.percentile(99) / 1e6 - RESOLUTION_MS;
  const loopMaxMs = delays.max / 1e6 - RESOLUTION_MS;
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  // The collection is no delay of the server's own.
  delays.reset();
  const figures: ProbedFigures = {
    heapMiB: (heapUsed + external) / MIB,
    residentMiB: rss / MIB,
    loopP99Ms,
    loopMaxMs,
  };
  process.send?.(figures);
});
