/**
 * Cuts text into parts that a server takes in one frame, after white space where there is any in the last quarter,
 * else between characters. The parts concatenate to the text.
 */
export function splitText(text: string, maxChars: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxChars) {
    const end = cutBefore(rest, maxChars);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

function cutBefore(text: string, maxChars: number): number {
  for (let end = maxChars; end > maxChars * 0.75; end -= 1) {
    if (/\s/.test(text.charAt(end - 1))) return end;
  }
  // The first half of a surrogate pair goes with its second.
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(maxChars - 1));
  return isHalf && maxChars > 1 ? maxChars - 1 : maxChars;
}
