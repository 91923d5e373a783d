type Box = Pick<DOMRect, 'top' | 'bottom'>;

/** Share of the view above its lower part. A word in the lower part is too near to the edge to continue reading. */
const LOW = 0.82;
/** Target of a word, as a share of the view: some context above it, and most of the view for the following words. */
const HIGH = 0.3;

/**
 * Returns the scroll position that leaves room to read after the spoken word; null where there is room already. Both
 * boxes have the same coordinates.
 */
export function scrollFor(word: Box, view: Box, scrollTop: number): number | null {
  const height = view.bottom - view.top;
  const at = word.top - view.top;
  if (at >= 0 && word.bottom - view.top <= height * LOW) return null;
  return Math.max(0, Math.round(scrollTop + at - height * HIGH));
}
