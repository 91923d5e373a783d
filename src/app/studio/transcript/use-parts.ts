import { useEffect, useState } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import type { TurnView } from '#session/views.ts';
import { keepParts, layoutKey, partsOf, type TranscriptPart } from './words.ts';

/** Laying out takes the longer the longer the turn is; for so many characters the page rests a millisecond after it. */
const CHARS_PER_REST_MS = 40;
/** A rest shorter than two frames is none. */
const SHORTEST_REST_MS = 33;
const LONGEST_REST_MS = 250;

/**
 * How long a turn stays as it is laid out, although more of it may have come. None for turns of ordinary length; in a
 * turn of thousands of characters, where laying out takes longer than a frame, a few times a second.
 */
export function layoutRestMs(chars: number): number {
  const restMs = Math.min(LONGEST_REST_MS, chars / CHARS_PER_REST_MS);
  return restMs < SHORTEST_REST_MS ? 0 : restMs;
}

interface Layout {
  key: string;
  parts: readonly TranscriptPart[];
  atMs: number;
}

const firstLayout = (turn: TurnView): Layout => ({
  key: layoutKey(turn),
  parts: partsOf(turn),
  atMs: wallMs(),
});

const nextLayout = (turn: TurnView, before: Layout): Layout => ({
  key: layoutKey(turn),
  parts: keepParts(before.parts, partsOf(turn)),
  atMs: wallMs(),
});

/** The parts of a turn as it is now, or as it was a moment ago where it is long. */
export function useParts(turn: TurnView): readonly TranscriptPart[] {
  // A report is a new object although nothing that is shown here may have changed; the key tells.
  const key = layoutKey(turn);
  const [layout, setLayout] = useState(() => firstLayout(turn));
  const isBehind = layout.key !== key;
  const restMs = layoutRestMs(turn.text.length);
  if (isBehind && restMs === 0) setLayout(nextLayout(turn, layout));

  useEffect(() => {
    if (!isBehind || restMs === 0) return;
    const timer = setTimeout(
      () => setLayout((before) => nextLayout(turn, before)),
      Math.max(0, layout.atMs + restMs - wallMs()),
    );
    return () => clearTimeout(timer);
  }, [isBehind, restMs, turn, layout.atMs]);
  return layout.parts;
}
