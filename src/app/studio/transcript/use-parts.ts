import { useEffect, useState } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import type { TurnView } from '#session/views.ts';
import { keepParts, layoutKey, partsOf, type TranscriptPart } from './words.ts';

/**
 * Turns up to this size are laid out at once, whatever it costs. Code that runs for the first time and a busy machine make
 * their layout seem slow, and the first word would wait for a rest.
 */
const ORDINARY_CHARS = 3000;
const ORDINARY_CHUNKS = 50;
/** A layout of a few milliseconds fits into a frame. */
const CHEAP_MS = 4;
/** Layouts take at most this share of the time. */
const SHARE = 0.1;

/**
 * Returns how long a layout stays before the next one, in ms. It is 0 for turns of ordinary length. A turn of thousands
 * of characters or chunks is laid out a few times a second.
 * @param costMs duration of the layout
 */
export function layoutRestMs(costMs: number, chars: number, chunks: number): number {
  const isOrdinary = chars <= ORDINARY_CHARS && chunks <= ORDINARY_CHUNKS;
  return isOrdinary || costMs < CHEAP_MS ? 0 : costMs / SHARE;
}

interface Layout {
  key: string;
  parts: readonly TranscriptPart[];
  atMs: number;
  restMs: number;
}

function layoutOf(turn: TurnView, before?: Layout): Layout {
  const startMs = performance.now();
  const parts = keepParts(before?.parts ?? [], partsOf(turn));
  const restMs = layoutRestMs(performance.now() - startMs, turn.text.length, turn.chunks.length);
  return { key: layoutKey(turn), parts, atMs: wallMs(), restMs };
}

/** Returns the parts of a turn, throttled for a long turn. */
export function useParts(turn: TurnView): readonly TranscriptPart[] {
  // Every report makes a new view; the key changes only when the layout does.
  const key = layoutKey(turn);
  const [layout, setLayout] = useState(() => layoutOf(turn));
  const { restMs, atMs } = layout;
  const isBehind = layout.key !== key;
  if (isBehind && restMs === 0) setLayout(layoutOf(turn, layout));

  useEffect(() => {
    if (!isBehind || restMs === 0) return;
    const timer = setTimeout(
      () => setLayout((before) => layoutOf(turn, before)),
      Math.max(0, atMs + restMs - wallMs()),
    );
    return () => clearTimeout(timer);
  }, [isBehind, restMs, turn, atMs]);
  return layout.parts;
}
