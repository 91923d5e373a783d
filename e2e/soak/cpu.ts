import { readdirSync, readFileSync } from 'node:fs';

/** CPU time so far, in ticks of the system. */
export interface CpuTimes {
  /** Of all cores, idle time included. */
  all: number;
  busy: number;
  /** By process. */
  own: ReadonlyMap<number, number>;
}

/** Shares of the CPU time of all cores over a second, 0 to 1. */
export interface CpuShares {
  /** The end, in ms since 1970. */
  atMs: number;
  ms: number;
  /** Used by this process and all that it started: server, browser, other clients. */
  own: number;
  others: number;
}

const EVERY_MS = 1000;

/**
 * Notes the CPU time from now on. The returned function gives the shares since its last call: none where the system
 * does not tell.
 */
export function watchCpu(): () => CpuShares[] {
  let shares: CpuShares[] = [];
  let before = timesNow();
  let lastMs = Date.now();
  setInterval(() => {
    const now = timesNow();
    const atMs = Date.now();
    if (before && now) shares.push({ atMs, ms: atMs - lastMs, ...sharesBetween(before, now) });
    before = now;
    lastMs = atMs;
  }, EVERY_MS).unref();
  return () => {
    const noted = shares;
    shares = [];
    return noted;
  };
}

/** A process that has ended meanwhile counts as another one. */
export function sharesBetween(before: CpuTimes, now: CpuTimes): Pick<CpuShares, 'own' | 'others'> {
  const all = Math.max(1, now.all - before.all);
  let own = 0;
  for (const [process, ticks] of now.own) own += ticks - (before.own.get(process) ?? 0);
  const busy = now.busy - before.busy;
  // The two are not read at the same moment.
  return { own: Math.min(1, own / all), others: Math.min(1, Math.max(0, busy - own) / all) };
}

function timesNow(): CpuTimes | null {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const ticks = first.split(/\s+/).slice(1, 9).map(Number);
    const [, , , idle = 0, waiting = 0] = ticks;
    const all = ticks.reduce((sum, part) => sum + part, 0);
    return { all, busy: all - idle - waiting, own: ownTimes() };
  } catch {
    return null;
  }
}

/** The times of this process and of all below it. */
function ownTimes(): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(name);
    parents.set(Number(name), Number(fields[1]));
    times.set(Number(name), Number(fields[11]) + Number(fields[12]));
  }
  for (const id of [...times.keys()]) if (!isBelow(id, parents)) times.delete(id);
  return times;
}

/** Fields behind the name, which may hold blanks: state, parent …; none of a process that has just ended. */
function statOf(process: string): string[] {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function isBelow(id: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = id; at > 0; at = parents.get(at) ?? 0) if (at === process.pid) return true;
  return false;
}
