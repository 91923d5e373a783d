/** The value before, if it says the same as the one now: whoever shows it has nothing to do. Both are plain data. */
export const keepSame = <T>(now: T, before: T | undefined): T =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
