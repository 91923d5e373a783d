interface Box {
  top: number;
  bottom: number;
}

/** The lower part of the view, in which a word is too near to the edge to read on from. */
const LOW = 0.82;
/** Where a word is brought to: enough above it to see where it comes from, and most of the view for what follows. */
const HIGH = 0.3;

/**
 * Where to scroll to so that the spoken word can be read on from; null where it can already. Both boxes in the same
 * coordinates.
 */
export function scrollFor(word: Box, view: Box, scrollTop: number): number | null {
  const height = view.bottom - view.top;
  const at = word.top - view.top;
  if (at >= 0 && word.bottom - view.top <= height * LOW) return null;
  return Math.max(0, Math.round(scrollTop + at - height * HIGH));
}
