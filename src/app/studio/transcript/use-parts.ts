import { useEffect, useState } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import type { TurnView } from '#session/views.ts';
import { layoutRestMs } from './layout-rest.ts';
import { keepParts, layoutKey, partsOf, type TranscriptPart } from './words.ts';

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
