/** The search of Knuth, Morris and Pratt, which reads each character once. Characters are UTF-16 code units. */

/** Returns, for each beginning of a pattern, the length of the longest shorter one at its end. */
function shorterBeginnings(pattern: string): Uint32Array {
  const shorter = new Uint32Array(pattern.length);
  for (let at = 1; at < pattern.length; at += 1) {
    shorter[at] = grown(pattern, shorter, shorter[at - 1] ?? 0, pattern.charCodeAt(at));
  }
  return shorter;
}

/** Returns how much of a pattern is read with one more character. @param length read before */
function grown(pattern: string, shorter: Uint32Array, length: number, code: number): number {
  let known = length;
  while (known > 0 && pattern.charCodeAt(known) !== code) known = shorter[known - 1] ?? 0;
  return pattern.charCodeAt(known) === code ? known + 1 : 0;
}

/** Returns the length of the longest end of a text with which another begins. */
export function overlapOf(before: string, now: string): number {
  const shorter = shorterBeginnings(now);
  let length = 0;
  for (let at = Math.max(0, before.length - now.length); at < before.length; at += 1) {
    length = grown(now, shorter, length, before.charCodeAt(at));
  }
  return length;
}
