import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process so far, in seconds. */
export interface ThreadTimes {
  /** The main thread: the event loop of Node. */
  main: number;
  /** All other threads. Those of a server are mostly its speech engine. */
  others: number;
}

/** Linux counts in hundredths of a second. */
const TICKS = 100;

/** Reads the times of a process on Linux; NaN where there is no `/proc`. */
export function threadTimes(pid: number): ThreadTimes {
  const times: ThreadTimes = { main: 0, others: 0 };
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      // The name of a thread may hold spaces.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS;
      if (Number(thread) === pid) times.main += seconds;
      else times.others += seconds;
    }
    return times;
  } catch {
    return { main: Number.NaN, others: Number.NaN };
  }
}
