import { count } from '#lib/format.ts';

/** From this share of the limit on the count is shown at all times. */
const NEAR = 0.9;

export interface TextCount {
  words: string;
  tone: 'plain' | 'near' | 'over';
  /** What is wrong and what to do; null where the text fits. */
  problem: string | null;
}

/** How much of the limit a text takes. Characters are counted as Unicode code points, as people and servers do. */
export function textCount(text: string, limit: number): TextCount {
  let length = 0;
  for (const _ of text) length += 1;
  const over = length - limit;
  return {
    words: `${count(length)} of ${count(limit)}`,
    tone: over > 0 ? 'over' : length >= limit * NEAR ? 'near' : 'plain',
    problem:
      over > 0
        ? `The text is ${count(over)} characters longer than the ${count(limit)} that the server takes at once. Shorten it.`
        : null,
  };
}
