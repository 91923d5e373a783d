/** One replacement that turns a text into another: the part that differs, and nothing around it. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** The smallest single replacement, so that a cursor beside it stays where it is; null where nothing differs. */
export function textChange(before: string, after: string): TextChange | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && before[before.length - 1 - tail] === after[after.length - 1 - tail])
    tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}
