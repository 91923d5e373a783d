/** A part of a text or of bytes, by offsets. */
export type Span = readonly [start: number, end: number];

/** Returns the text with a mark in place of each span. Spans that overlap get one mark. */
export function withMarks(text: string, spans: readonly Span[], mark: string): string {
  // Joined once, because a text that grows would keep all its pieces.
  const pieces: string[] = [];
  let from = -1;
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    if (start >= from) pieces.push(text.slice(Math.max(0, from), start), mark);
    from = Math.max(from, end);
  }
  pieces.push(text.slice(Math.max(0, from)));
  return pieces.join('');
}
