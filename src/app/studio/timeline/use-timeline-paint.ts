import { type RefObject, useEffect, useRef } from 'react';
import { seconds } from '#lib/format.ts';
import type { Listening } from '#recordings/format/user-actions.ts';
import type { TurnView } from '#session/views.ts';
import { paint } from '../../browser/paint.ts';
import { TimeScale } from '../../session-client/timeline/time-scale.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { heardSecondsOf, isOver, segmentEnds } from '../../session-client/timeline/turn-lanes.ts';
import { type DisplayList, displayList, type LaneItem, type TimelineView } from './geometry/display-list.ts';
import { depthAt, laneFigures, type TimelineSpeaker } from './geometry/figures.ts';
import { itemAt } from './geometry/hit.ts';
import type { LaneBlock } from './geometry/lane-shape.ts';
import { type Brushes, brushesOf, onThemeChange, prepare, readPalette } from './paint/canvas.ts';
import { AXIS_HEIGHT } from './paint/paint-axis.ts';
import { paintTimeline, type Surroundings } from './paint/paint-timeline.ts';

/** What is heard now: where it stands on the wall clock of the lanes, and on the audio clock of its turn. */
export interface Head {
  atMs: number;
  audioMs: number;
}

/** All that a picture needs of what React knows. */
export interface PaintInput {
  rows: readonly TimelineSpeaker[];
  blocks: readonly LaneBlock[];
  heightPx: number;
  originMs: number | null;
  /** Whose figures stand at the left, and whose wait is taken apart. */
  turn: TurnView | undefined;
  isSingle: boolean;
  playHead: (nowMs: number) => Head | null;
  listening: Listening;
  pauseMs: number;
}

export interface Canvases {
  axis: RefObject<HTMLCanvasElement | null>;
  field: RefObject<HTMLCanvasElement | null>;
  scroller: RefObject<HTMLElement | null>;
}

/** The play head stays within this share of the width. */
const FOLLOW_SHARE = 0.62;
/** What a newcomer sees: 6 s of one voice, 18 s of several, in a wide window. */
const FIRST_MS_PER_PX = 6.5;
const FIRST_MS_PER_PX_OF_SEVERAL = 18;

/**
 * Paints the lanes whenever something has changed, from the page's one scheduler. Returns where the pointer is to be
 * told (px of the field; null: nowhere), and where figures at the left are to be placed that change with every frame.
 */
export function useTimelinePaint(
  state: TimelineState,
  input: PaintInput,
  { axis, field, scroller }: Canvases,
  isThere: boolean,
) {
  const latest = useRef(input);
  latest.current = input;
  const pointer = useRef<number | null>(null);
  const figures = useRef(new Map<string, HTMLElement>());
  const stale = useRef(true);
  /** As it was painted last. */
  const list = useRef<DisplayList | null>(null);

  useEffect(() => {
    const host = scroller.current;
    // The canvas is there only while there is something to draw on it.
    if (!isThere || !host) return;
    let brushes: Brushes | null = null;
    let viewTop = 0;
    let viewHeight = host.clientHeight;
    let widthPx = axis.current?.clientWidth ?? 0;
    let revision = -1;
    const refresh = () => {
      stale.current = true;
      paint.request();
    };
    const measure = () => {
      viewTop = host.scrollTop;
      viewHeight = host.clientHeight;
      widthPx = axis.current?.clientWidth ?? 0;
      refresh();
    };
    const leaves = [
      onThemeChange(() => {
        brushes = null;
        refresh();
      }),
      state.marks.subscribe(refresh),
      state.envelopes.subscribe(refresh),
      state.selection.store.subscribe(refresh),
    ];
    const observer = new ResizeObserver(measure);
    observer.observe(host);
    host.addEventListener('scroll', measure, { passive: true });
    // The fonts decide how wide labels are.
    document.fonts.addEventListener('loadingdone', refresh);

    leaves.push(
      paint.add((nowMs) => {
        const now = latest.current;
        const head = now.playHead(nowMs);
        // What waits to be heard stands still; only what is heard or awaited moves on.
        const isMoving = head !== null || state.lanes.pending.some((turn) => !isOver(turn));
        if (now.originMs === null || widthPx === 0) return false;
        moveOn(state, now, widthPx, head, nowMs, isMoving);
        if (!isMoving && !stale.current && revision === state.revision) return false;
        stale.current = false;
        const onAxis = axis.current && prepare(axis.current, widthPx, AXIS_HEIGHT);
        const onField = field.current && prepare(field.current, widthPx, now.heightPx);
        if (onAxis && onField && state.scale) {
          brushes ??= brushesOf(readPalette(host), onField);
          const view = { ...viewOf(state, state.scale, now, nowMs), viewTop, viewHeight };
          list.current = displayList(view);
          const around = surroundings(state, state.scale, now, head, pointer.current);
          paintTimeline(onAxis, onField, list.current, around, brushes);
        }
        writeFigures(figures.current, state, now, nowMs);
        revision = state.revision;
        return isMoving;
      }),
    );

    return () => {
      for (const leave of leaves) leave();
      observer.disconnect();
      host.removeEventListener('scroll', measure);
      document.fonts.removeEventListener('loadingdone', refresh);
    };
  }, [state, isThere, axis, field, scroller]);

  // What came with this render is not on the canvas yet.
  useEffect(() => {
    stale.current = true;
    paint.request();
  });

  return {
    point: (x: number | null) => {
      if (x === pointer.current) return;
      pointer.current = x;
      stale.current = true;
      paint.request();
    },
    place: (key: string, element: HTMLElement | null) => {
      if (element) figures.current.set(key, element);
      else figures.current.delete(key);
    },
    /** The item at a point of the field, and the time there; also in a block that is scrolled out of view. */
    itemAt: (x: number, y: number): { item: LaneItem; ms: number } | null => {
      const painted = list.current;
      if (!painted) return null;
      const { viewTop, viewHeight } = painted.view;
      const isInView = y >= viewTop && y < viewTop + viewHeight;
      const shown = isInView ? painted : displayList({ ...painted.view, viewTop: y, viewHeight: 1 });
      const item = itemAt(shown, x, y);
      return item && { item, ms: painted.view.scale.toMs(x) };
    },
    /** Where zooming by keys keeps still. */
    anchorPx: (nowMs: number): number => {
      const { scale } = state;
      const head = latest.current.playHead(nowMs);
      const middle = (scale?.widthPx ?? 0) / 2;
      if (pointer.current !== null) return pointer.current;
      const px = scale && head ? scale.toPx(head.atMs) : middle;
      return scale && px >= 0 && px <= scale.widthPx ? px : middle;
    },
  };
}

/** Brings the scale to the width of the canvas and, while following, to what is heard. */
function moveOn(
  state: TimelineState,
  { originMs, isSingle }: PaintInput,
  widthPx: number,
  head: Head | null,
  nowMs: number,
  isMoving: boolean,
): void {
  if (originMs === null) return;
  if (!state.scale) {
    const msPerPx = isSingle ? FIRST_MS_PER_PX : FIRST_MS_PER_PX_OF_SEVERAL;
    state.scale = new TimeScale(originMs, msPerPx, widthPx);
    state.startAt(originMs);
  }
  const isFollowing = state.look.getState().isFollowing;
  // A turn begins at the left edge, as the first one did.
  if (state.originMs !== originMs) {
    state.originMs = originMs;
    if (isFollowing && isSingle && isMoving) state.startAt(originMs);
  }
  if (state.scale.widthPx !== widthPx) state.scale = state.scale.withWidth(widthPx);
  if (isFollowing && isMoving) state.scale = state.scale.following(head?.atMs ?? nowMs, FOLLOW_SHARE);
}

const viewOf = (
  { lanes, marks, selection }: TimelineState,
  scale: TimeScale,
  { blocks, listening, pauseMs }: PaintInput,
  nowMs: number,
): Omit<TimelineView, 'viewTop' | 'viewHeight'> => ({
  lanes,
  marks,
  scale,
  blocks,
  nowMs,
  listening,
  pauseMs,
  selected: selection.state.selected,
});

function surroundings(
  { envelopes, look }: TimelineState,
  scale: TimeScale,
  { heightPx, originMs, turn }: PaintInput,
  head: Head | null,
  pointerPx: number | null,
): Surroundings {
  const { span, segment } = look.getState();
  return {
    envelopes,
    heightPx,
    originMs: originMs ?? 0,
    headMs: head?.atMs ?? null,
    headAudioMs: head?.audioMs ?? null,
    cursorMs: pointerPx === null ? null : scale.toMs(pointerPx),
    span,
    segment: turn && segment ? segmentEnds(turn, segment) : null,
  };
}

function writeFigures(
  figures: ReadonlyMap<string, HTMLElement>,
  { lanes, marks }: TimelineState,
  { rows, turn }: PaintInput,
  nowMs: number,
): void {
  const write = (key: string, text: () => string) => {
    const element = figures.get(key);
    if (!element) return;
    const now = text();
    if (element.textContent !== now) element.textContent = now;
  };
  for (const { id } of rows) {
    const told = laneFigures(id, lanes, nowMs);
    // One of several has the sum of its lane, a single voice the figure of the turn that is shown.
    const own = turn && turn.context === id ? heardSecondsOf(turn, nowMs) : told.heardSeconds;
    write(`${id} heard`, () => seconds(rows.length === 1 ? own : told.heardSeconds));
    write(`${id} queued`, () => seconds(told.queuedSeconds));
    write(`${id} buffer`, () => seconds(depthAt(id, lanes.lane(id), marks, nowMs) / 1000));
  }
}
