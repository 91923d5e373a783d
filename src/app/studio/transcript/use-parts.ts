import { useEffect, useState } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import type { TurnView } from '#session/views.ts';
import { keepParts, layoutKey, partsOf, type TranscriptPart } from './words.ts';

/** A layout costs time by the length of the turn. For this many characters, the next layout waits one millisecond. */
const CHARS_PER_REST_MS = 40;
/** A chunk costs the layout as much as this many characters. */
const CHARS_PER_CHUNK = 10;
/** A rest shorter than two frames is skipped. */
const SHORTEST_REST_MS = 33;
const LONGEST_REST_MS = 250;

/**
 * Returns how long a layout stays before the next one, in ms. It is 0 for turns of ordinary length. A turn of thousands
 * of characters, whose layout takes longer than a frame, is laid out a few times a second.
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

const layoutOf = (turn: TurnView, before?: Layout): Layout => ({
  key: layoutKey(turn),
  parts: keepParts(before?.parts ?? [], partsOf(turn)),
  atMs: wallMs(),
});

/** Returns the parts of a turn, throttled for a long turn. */
export function useParts(turn: TurnView): readonly TranscriptPart[] {
  // Every report makes a new view; the key changes only when the layout does.
  const key = layoutKey(turn);
  const [layout, setLayout] = useState(() => layoutOf(turn));
  const isBehind = layout.key !== key;
  const restMs = layoutRestMs(turn.text.length + turn.chunks.length * CHARS_PER_CHUNK);
  if (isBehind && restMs === 0) setLayout(layoutOf(turn, layout));

  useEffect(() => {
    if (!isBehind || restMs === 0) return;
    const timer = setTimeout(
      () => setLayout((before) => layoutOf(turn, before)),
      Math.max(0, layout.atMs + restMs - wallMs()),
    );
    return () => clearTimeout(timer);
  }, [isBehind, restMs, turn, layout.atMs]);
  return layout.parts;
}
