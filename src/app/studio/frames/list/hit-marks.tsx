import { useEffect, useRef, useSyncExternalStore } from 'react';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { listChanges } from '../view/frame-window.ts';
import { framesView } from '../view/frames-view.ts';

/** More marks are not distinguishable on a scroll bar. */
const MARKS = 1024;
const MARK_PX = 2;
const EVERY_MS = 50;

export function HitMarks({ topPx }: { topPx: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hits = useSyncExternalStore(listChanges.subscribe, () => framesView.hits.length);
  const layout = useRecordings((state) => state.shown.layout);
  useEffect(() => {
    void layout;
    const element = canvas.current;
    if (!element || hits === 0) return;
    let isOver = false;
    const draw = async () => {
      const rows = await recordingsLink.locate(framesView.hits.sample(recordingsLink.shown.loaded, MARKS));
      if (!isOver) paintMarks(element, rows, recordingsLink.shown.rows);
    };
    const timer = setTimeout(() => void draw(), EVERY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [hits, layout]);
  if (hits === 0) return null;
  return (
    <canvas
      ref={canvas}
      aria-hidden
      className="pointer-events-none absolute right-0 bottom-0 w-1.5 text-text"
      style={{ top: topPx, height: `calc(100% - ${topPx}px)` }}
    />
  );
}

function paintMarks(canvas: HTMLCanvasElement, rows: Int32Array, total: number): void {
  const { clientWidth, clientHeight } = canvas;
  const context = canvas.getContext('2d');
  if (!context || clientHeight === 0) return;
  canvas.width = clientWidth * devicePixelRatio;
  canvas.height = clientHeight * devicePixelRatio;
  context.fillStyle = getComputedStyle(canvas).color;
  const perRow = (canvas.height - MARK_PX * devicePixelRatio) / Math.max(1, total - 1);
  for (const row of rows) {
    if (row >= 0) context.fillRect(0, Math.round(row * perRow), canvas.width, MARK_PX * devicePixelRatio);
  }
}
