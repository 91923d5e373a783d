/** A time in which a thread could not run. */
export interface Stall {
  /** Its end, in ms since 1970. */
  atMs: number;
  ms: number;
}

const TICK_MS = 20;
/** Shorter delays are ordinary on a busy machine. */
const NOTED_MS = 60;
/** Bounds the list of a machine that does nothing else. */
const MOST_KEPT = 10_000;

/** Notes the stalls of this thread from now on. The returned function gives those since its last call. */
export function watchStalls(): () => Stall[] {
  let stalls: Stall[] = [];
  let lastMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    const ms = nowMs - lastMs - TICK_MS;
    if (ms > NOTED_MS && stalls.length < MOST_KEPT) stalls.push({ atMs: Date.now(), ms });
    lastMs = nowMs;
  }, TICK_MS).unref?.();
  return () => {
    const noted = stalls;
    stalls = [];
    return noted;
  };
}
