import { type RefObject, useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { seconds } from '#lib/format.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { isStill, paint } from '../../browser/paint.ts';
import { TimeScale } from '../../session-client/timeline/time-scale.ts';
import { heardSecondsOf, segmentEnds } from '../../session-client/timeline/turn-lanes.ts';
import { type DisplayList, displayList } from './geometry/display-list.ts';
import { depthAt, laneFigures } from './geometry/figures.ts';
import { itemAt } from './geometry/hit.ts';
import type { LaneBlock } from './geometry/lane-shape.ts';
import { type Brushes, brushesOf, onLookChange, prepare, readPalette } from './paint/canvas.ts';
import { AXIS_HEIGHT } from './paint/paint-axis.ts';
import { paintTimeline } from './paint/paint-timeline.ts';
import type { Hit } from './spans.ts';
import type { TimelineModel } from './use-timeline-model.ts';

interface PaintInput extends TimelineModel {
  blocks: readonly LaneBlock[];
  heightPx: number;
}

interface Canvases {
  axis: RefObject<HTMLCanvasElement | null>;
  field: RefObject<HTMLCanvasElement | null>;
  scroller: RefObject<HTMLElement | null>;
}

/** Figures that run change this often, so that they can be read. */
const FIGURES_MS = 100;
/** While following, the play head is at most at this share of the width. */
const FOLLOW_SHARE = 0.62;
/** The first view: in a wide window 6 s of a single voice, 18 s of several. */
const FIRST_MS_PER_PX = 6.5;
const FIRST_MS_PER_PX_OF_SEVERAL = 18;

/** Paints the lanes after every change. Returns the hit test, and receivers of the pointer and of figures. */
export function useTimelinePaint(input: PaintInput, { axis, field, scroller }: Canvases) {
  const { state } = input;
  const inputNow = useEffectEvent(() => input);
  const pointer = useRef<number | null>(null);
  const figures = useRef(new Map<string, HTMLElement>());
  const isStale = useRef(true);
  const list = useRef<DisplayList | null>(null);
  const refresh = useCallback(() => {
    isStale.current = true;
    paint.request();
  }, []);

  useEffect(() => {
    const host = scroller.current;
    if (!host) return;
    let brushes: Brushes | null = null;
    let viewTop = 0;
    let viewHeight = host.clientHeight;
    let widthPx = axis.current?.clientWidth ?? 0;
    let revision = -1;
    let paintedMs = Number.NEGATIVE_INFINITY;
    let figuresMs = Number.NEGATIVE_INFINITY;
    const measure = () => {
      viewTop = host.scrollTop;
      viewHeight = host.clientHeight;
      widthPx = axis.current?.clientWidth ?? 0;
      refresh();
    };
    host.addEventListener('scroll', measure, { passive: true });
    // The width of labels depends on the fonts.
    document.fonts.addEventListener('loadingdone', refresh);
    const leaves = [
      onLookChange(host, () => {
        brushes = null;
        measure();
      }),
      state.marks.subscribe(refresh),
      state.envelopes.subscribe(refresh),
      state.selection.store.subscribe(refresh),
      paint.add((nowMs) => {
        const now = inputNow();
        const { originMs, turn, blocks, heightPx } = now;
        if (originMs === null || widthPx === 0) return false;
        const head = now.playheadAt(nowMs);
        // Queued turns do not change the picture; a turn that is heard or generated does in every frame.
        const isMoving =
          head !== null ||
          state.lanes.pending.some(isUnderWay) ||
          state.lanes.ahead.some(({ heardToMs }) => (heardToMs ?? nowMs) > nowMs);
        const mayWait = paint.isForWords(paintedMs) || (!isStale.current && isStill(paintedMs, nowMs));
        if (isMoving && mayWait) return true;
        const scale = scaleNow(now, originMs, widthPx, isMoving ? (head?.atMs ?? nowMs) : null);
        if (!isMoving && !isStale.current && revision === state.revision) return false;
        isStale.current = false;
        paintedMs = nowMs;
        const onAxis = axis.current && prepare(axis.current, widthPx, AXIS_HEIGHT);
        const onField = field.current && prepare(field.current, widthPx, heightPx);
        if (onAxis && onField) {
          brushes ??= brushesOf(readPalette(), onField);
          const { lanes, marks, envelopes, look, selection } = state;
          const { listening, pauseMs } = now;
          const { selected } = selection.state;
          const view = { scale, blocks, viewTop, viewHeight, nowMs, listening, pauseMs, selected };
          list.current = displayList({ lanes, marks, ...view });
          const { span, segment } = look.getState();
          const settings = {
            envelopes,
            heightPx,
            originMs,
            headMs: head?.atMs ?? null,
            headAudioMs: head?.audioMs ?? null,
            cursorMs: pointer.current === null ? null : scale.toMs(pointer.current),
            span,
            segment: turn && segment ? segmentEnds(turn, segment) : null,
          };
          paintTimeline(onAxis, onField, list.current, settings, brushes);
        }
        if (!isMoving || nowMs - figuresMs >= FIGURES_MS) {
          writeFigures(figures.current, now, nowMs);
          figuresMs = nowMs;
        }
        revision = state.revision;
        return isMoving;
      }),
    ];
    return () => {
      for (const leave of leaves) leave();
      host.removeEventListener('scroll', measure);
      document.fonts.removeEventListener('loadingdone', refresh);
    };
  }, [state, axis, field, scroller, refresh]);

  // A render may have changed the input.
  useEffect(refresh);

  return {
    /** Reports the pointer, in px of the field; null: it is elsewhere. */
    point: (x: number | null) => {
      if (x === pointer.current) return;
      pointer.current = x;
      refresh();
    },
    /** Registers the element of a figure; null when it is gone. */
    place: (key: string, element: HTMLElement | null) => {
      if (element) figures.current.set(key, element);
      else figures.current.delete(key);
    },
    /** The item at a point of the field, also in a block that is scrolled out of view. */
    itemAt: (x: number, y: number): Hit | null => {
      const painted = list.current;
      if (!painted) return null;
      const { viewTop, viewHeight } = painted.view;
      const isInView = y >= viewTop && y < viewTop + viewHeight;
      const shown = isInView ? painted : displayList({ ...painted.view, viewTop: y, viewHeight: 1 });
      return itemAt(shown, x, y, input.problems);
    },
    /** The fixed point for zooming by keys: the pointer, the play head or the middle, in px. */
    anchorPx: (nowMs: number): number => {
      if (pointer.current !== null) return pointer.current;
      const { scale } = state;
      if (!scale) return 0;
      const head = input.playheadAt(nowMs);
      const px = head ? scale.toPx(head.atMs) : -1;
      return px >= 0 && px <= scale.widthPx ? px : scale.widthPx / 2;
    },
  };
}

/** The scale for the width of the canvas. While following, `movingMs` is in view; null if nothing moves. */
function scaleNow(
  { state, isSingle }: TimelineModel,
  originMs: number,
  widthPx: number,
  movingMs: number | null,
): TimeScale {
  if (!state.scale) {
    const msPerPx = isSingle ? FIRST_MS_PER_PX : FIRST_MS_PER_PX_OF_SEVERAL;
    state.scale = new TimeScale(originMs, msPerPx, widthPx);
    state.startAt(originMs);
  }
  const { isFollowing } = state.look.getState();
  if (state.originMs !== originMs) {
    // Every turn of a single voice begins at the left edge.
    if (isFollowing && isSingle && movingMs !== null) state.startAt(originMs);
    state.originMs = originMs;
  }
  let scale = state.scale;
  if (scale.widthPx !== widthPx) scale = scale.withWidth(widthPx);
  if (isFollowing && movingMs !== null) scale = scale.following(movingMs, FOLLOW_SHARE);
  state.scale = scale;
  return scale;
}

function writeFigures(
  figures: ReadonlyMap<string, HTMLElement>,
  { state: { lanes, marks }, rows, turn }: TimelineModel,
  nowMs: number,
): void {
  const write = (key: string, text: () => string) => {
    const element = figures.get(key);
    if (!element) return;
    const now = text();
    if (element.textContent !== now) element.textContent = now;
  };
  for (const { id } of rows) {
    const { heardSeconds, queuedSeconds } = laneFigures(id, lanes, nowMs);
    // One of several rows has the sum of its lane, a single one the figure of the turn that is shown.
    const isOfTurn = rows.length === 1 && turn?.context === id;
    write(`${id} heard`, () => {
      if (lanes.isUnheard) return seconds(isOfTurn ? audioSecondsOf(turn) : heardSeconds + queuedSeconds);
      return seconds(isOfTurn ? heardSecondsOf(turn, nowMs) : heardSeconds);
    });
    const depthMs = depthAt(id, lanes.lane(id), marks, nowMs);
    write(`${id} queued`, () => seconds(lanes.isUnheard ? depthMs / 1000 : queuedSeconds));
    write(`${id} buffer`, () => seconds(depthMs / 1000));
  }
}
