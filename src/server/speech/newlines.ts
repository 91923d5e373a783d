import type { Segment } from './markup.ts';

/** Both besides the pause that a sentence ends in anyway. */
const SHORT_PAUSE_MS = 250;
const LONG_PAUSE_MS = 700;

/** Splits a text where newlines make a pause: one a short one, more of them a long one (facts 7). All else is text. */
export function parseNewlines(text: string): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  const closeText = (end: number) => {
    if (end > start) segments.push({ kind: 'text', start, end, rate: undefined, spellGroup: undefined });
  };
  for (const { 0: gap, index } of text.matchAll(/\s+/g)) {
    const lines = gap.split('\n').length;
    if (lines === 1) continue;
    closeText(index);
    segments.push({ kind: 'break', durationMs: lines > 2 ? LONG_PAUSE_MS : SHORT_PAUSE_MS });
    start = index + gap.length;
  }
  closeText(text.length);
  return segments;
}
