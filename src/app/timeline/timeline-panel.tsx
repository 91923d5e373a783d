import { Locate, Maximize, Minus, Plus, Table2 } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { ContextView, Listening, Problem, TurnView } from '../../session/model.ts';
import { wallMs } from '../clock.ts';
import { seconds } from '../format.ts';
import { paint } from '../paint.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { describeAt } from './describe.ts';
import type { LaneStore } from './lane-store.ts';
import { drawLane, expectedSound, type LaneInput } from './lanes.ts';
import {
  AXIS_HEIGHT,
  COMPACT,
  paintAxis,
  paintGrid,
  paintHead,
  paintLane,
  prepare,
  ROOMY,
} from './paint-lanes.ts';
import { onThemeChange, type Palette, readPalette } from './palette.ts';
import { laneFigures, laneRows, laneState, type TimelineSpeaker } from './rows.ts';
import { TimeScale } from './time-scale.ts';
import { TimelineTable } from './timeline-table.tsx';
import { isOver, TurnLanes } from './turn-lanes.ts';

export interface TimelinePanelProps {
  /** In order of speaking. */
  turns: readonly TurnView[];
  /** Empty on an endpoint with one context. */
  contexts: readonly ContextView[];
  marks: LaneStore;
  /** A lane each, in this order; on an endpoint with one context its one voice. */
  speakers: readonly TimelineSpeaker[];
  /** Wall clock of what is heard now; null while nothing is. Called while painting. */
  playHead: () => number | null;
  /** How lines are heard, which tells when those in the queue will be. */
  listening: Listening;
  pauseMs: number;
  /** Their words stand at the marks of errors. */
  problems: readonly Problem[];
}

/** What a newcomer sees: about 18 s in a wide window. */
const FIRST_MS_PER_PX = 18;
/** The play head stays within this share of the width. */
const FOLLOW_SHARE = 0.62;
/** Lanes become low from here on. */
const MANY_LANES = 6;
const ZOOM_STEP = 1.5;
const PAN_STEP_PX = 80;
/** Time before the first text, so that it is seen to be the first. */
const LEAD_PX = 8;

type Props = TimelinePanelProps;

/** Every context's turns on one time axis: sent, made, received, heard. */
export function TimelinePanel(props: Props) {
  const { turns, contexts, marks, speakers } = props;
  const [asTable, setAsTable] = useState(false);
  const [isFollowing, setFollowing] = useState(true);
  const [hover, setHover] = useState<{ text: string; x: number; y: number } | null>(null);
  const [size, setSize] = useState(0);
  const lanes = useRef(new TurnLanes()).current;
  const scale = useRef<TimeScale | null>(null);
  const axis = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const figures = useRef(new Map<string, { heard: HTMLElement | null; queued: HTMLElement | null }>());
  const drag = useRef<number | null>(null);

  useMemo(() => lanes.update(turns), [lanes, turns]);
  const rows = laneRows(speakers, lanes, marks, contexts);
  const shape = rows.length >= MANY_LANES ? COMPACT : ROOMY;
  const firstTextMs = turns.find((turn) => turn.firstTextMs !== null)?.firstTextMs ?? marks.firstMs;
  const latest = useRef({ ...props, rows, shape, isFollowing, originMs: firstTextMs });
  latest.current = { ...props, rows, shape, isFollowing, originMs: firstTextMs };

  // A mark may open a lane of its own: the column at the left is React's, the lanes are not.
  const laneCount = useRef(0);
  useEffect(
    () =>
      marks.subscribe(() => {
        const known = [...marks.lanes].length;
        if (known !== laneCount.current) {
          laneCount.current = known;
          setSize(known);
        }
        paint.request();
      }),
    [marks],
  );

  const isEmpty = rows.length === 0 || firstTextMs === null;
  useEffect(() => {
    // The canvas is there only while there is something to draw on it.
    if (asTable || isEmpty) return;
    const host = scroller.current;
    if (!host) return;
    let palette: Palette = readPalette(host);
    let stale = true;
    let painted = '';
    const refresh = () => {
      stale = true;
      paint.request();
    };
    const leaveTheme = onThemeChange(() => {
      palette = readPalette(host);
      refresh();
    });
    const observer = new ResizeObserver(refresh);
    observer.observe(host);
    host.addEventListener('scroll', refresh, { passive: true });
    // The fonts decide how wide labels are.
    document.fonts.addEventListener('loadingdone', refresh);
    const leavePaint = paint.add((nowMs) => {
      const now = latest.current;
      const headMs = now.playHead();
      // What waits to be heard stands still; only what is heard or awaited moves on.
      const isMoving = headMs !== null || lanes.pending.some((turn) => !isOver(turn));
      const width = axis.current?.clientWidth ?? 0;
      if (now.originMs === null || width === 0) return false;
      scale.current ??= new TimeScale(now.originMs - LEAD_PX * FIRST_MS_PER_PX, FIRST_MS_PER_PX, width);
      if (scale.current.widthPx !== width) scale.current = scale.current.withWidth(width);
      if (now.isFollowing && isMoving) scale.current = scale.current.following(headMs ?? nowMs, FOLLOW_SHARE);
      const key = `${scale.current.startMs} ${scale.current.msPerPx} ${now.marks.size} ${headMs}`;
      if (isMoving || stale || key !== painted || now.turns !== lastTurns) {
        paintAll(scale.current, headMs, nowMs);
        painted = key;
        stale = false;
        lastTurns = now.turns;
      }
      return isMoving;
    });
    let lastTurns: readonly TurnView[] | null = null;

    function paintAll(view: TimeScale, headMs: number | null, nowMs: number) {
      const now = latest.current;
      const originMs = now.originMs ?? 0;
      const height = now.rows.length * now.shape.height;
      const onAxis = axis.current && prepare(axis.current, view.widthPx, AXIS_HEIGHT);
      if (onAxis) paintAxis(onAxis, view, originMs, headMs, palette);
      const onField = field.current && prepare(field.current, view.widthPx, height);
      if (!onField || !host) return;
      const { listening, pauseMs } = now;
      const input: LaneInput = { lanes, marks: now.marks, scale: view, headMs, nowMs, listening, pauseMs };
      const expected = expectedSound(lanes.pending, headMs, nowMs, listening, pauseMs);
      paintGrid(onField, view, originMs, height, palette);
      for (const [at, { id, hue }] of now.rows.entries()) {
        const top = at * now.shape.height;
        const isInView = top + now.shape.height > host.scrollTop && top < host.scrollTop + host.clientHeight;
        if (isInView) paintLane(onField, drawLane(id, input, expected), view, top, now.shape, hue, palette);
        const told = laneFigures(id, lanes, headMs ?? nowMs);
        const places = figures.current.get(id);
        if (places?.heard) write(places.heard, seconds(told.heardSeconds));
        if (places?.queued) write(places.queued, seconds(told.queuedSeconds));
      }
      if (headMs !== null) paintHead(onField, view, headMs, height, palette);
    }

    return () => {
      leaveTheme();
      leavePaint();
      observer.disconnect();
      host.removeEventListener('scroll', refresh);
      document.fonts.removeEventListener('loadingdone', refresh);
    };
  }, [asTable, isEmpty, lanes]);

  // What came with this render is not on the canvas yet.
  useEffect(() => paint.request());

  const look = (change: (of: TimeScale) => TimeScale) => {
    if (!scale.current) return;
    scale.current = change(scale.current);
    setFollowing(false);
    setHover(null);
    paint.request();
  };
  const zoom = (factor: number) =>
    look((of) => of.zoom(factor, of.toPx(props.playHead() ?? of.toMs(of.widthPx / 2))));
  const fit = () => {
    if (firstTextMs === null) return;
    const last = Math.max(marks.lastMs ?? firstTextMs, ...lanes.ids.map((id) => lastEnd(lanes, id)));
    look((of) =>
      TimeScale.fit(firstTextMs - LEAD_PX * of.msPerPx, Math.max(last, firstTextMs + 1000), of.widthPx),
    );
  };
  const follow = () => {
    setFollowing(!isFollowing);
    paint.request();
  };

  // React listens to wheels passively, which could not keep the page from zooming.
  const wheel = useRef((_: WheelEvent) => {});
  wheel.current = (event) => {
    const host = scroller.current;
    const canvas = field.current;
    if (!host || !canvas) return;
    const isZoom = event.ctrlKey || event.metaKey;
    const scrolls = host.scrollHeight > host.clientHeight;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      const by = event.deltaX || event.deltaY;
      look((of) => of.pan(by));
    } else if (isZoom || !scrolls) {
      event.preventDefault();
      const px = event.clientX - canvas.getBoundingClientRect().left;
      look((of) => of.zoom(Math.exp(-event.deltaY / 300), Math.max(0, px)));
    }
  };
  useEffect(() => {
    const host = scroller.current;
    if (asTable || isEmpty || !host) return;
    const turn = (event: WheelEvent) => wheel.current(event);
    host.addEventListener('wheel', turn, { passive: false });
    return () => host.removeEventListener('wheel', turn);
  }, [asTable, isEmpty]);

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => zoom(ZOOM_STEP),
      '=': () => zoom(ZOOM_STEP),
      '-': () => zoom(1 / ZOOM_STEP),
      ArrowLeft: () => look((of) => of.pan(-PAN_STEP_PX)),
      ArrowRight: () => look((of) => of.pan(PAN_STEP_PX)),
      Home: () =>
        look((of) => new TimeScale((firstTextMs ?? 0) - LEAD_PX * of.msPerPx, of.msPerPx, of.widthPx)),
      End: () => setFollowing(true),
      f: fit,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  const move = (event: PointerEvent<HTMLCanvasElement>) => {
    const from = drag.current;
    if (from !== null) {
      drag.current = event.clientX;
      if (from !== event.clientX) look((of) => of.pan(from - event.clientX));
      return;
    }
    const box = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const row = rows[Math.floor(y / shape.height)];
    const view = scale.current;
    const text = row && view ? describeAt(row.id, view.toMs(x), view, marks, lanes, props.problems) : null;
    setHover((before) => (text === null ? null : before?.text === text ? before : { text, x, y }));
  };

  const tools = (
    <div className="flex h-9 shrink-0 touch:h-12 items-center justify-end gap-1 border-b border-border px-2">
      <p className="mr-auto truncate pl-3 text-12 text-text-subtle max-wide:hidden">
        Wall clock, from the first text
      </p>
      <IconButton
        size="small"
        icon={Minus}
        label="Zoom out"
        onClick={() => zoom(1 / ZOOM_STEP)}
        disabled={asTable}
      />
      <IconButton
        size="small"
        icon={Plus}
        label="Zoom in"
        onClick={() => zoom(ZOOM_STEP)}
        disabled={asTable}
      />
      <Button variant="ghost" size="small" icon={Locate} aria-pressed={isFollowing} onClick={follow}>
        {isFollowing ? 'Following' : 'Follow'}
      </Button>
      <IconButton size="small" icon={Maximize} label="Fit the session" onClick={fit} disabled={asTable} />
      <IconButton
        size="small"
        icon={Table2}
        label="Show as table"
        aria-pressed={asTable}
        onClick={() => setAsTable(!asTable)}
      />
    </div>
  );

  if (isEmpty) {
    return (
      <p className="grid h-full place-items-center p-6 text-center text-13 text-text-muted">
        What is sent, made, received and heard will stand here on one time axis. Press Speak.
      </p>
    );
  }
  if (asTable) {
    return (
      <div className="flex h-full min-h-0 flex-col">
        {tools}
        <TimelineTable rows={rows} lanes={lanes} marks={marks} originMs={firstTextMs} />
      </div>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col" data-lanes={size}>
      {tools}
      <ScrollRegion
        ref={scroller}
        label="Timeline lanes"
        onKeyDown={press}
        className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-offset-[-2px]"
      >
        <div className="grid grid-cols-[108px_minmax(0,1fr)] wide:grid-cols-[200px_minmax(0,1fr)]">
          <div className="sticky top-0 z-2 border-r border-b border-border bg-surface" />
          <canvas
            ref={axis}
            aria-hidden
            className="sticky top-0 z-2 block w-full border-b border-border bg-surface"
            style={{ height: AXIS_HEIGHT }}
          />
          <ul aria-label="Lanes" className="border-r border-border">
            {rows.map((row) => (
              <LaneHead
                key={row.id}
                row={row}
                height={shape.height}
                state={laneState(
                  lanes.pending.filter(({ context }) => context === row.id),
                  contexts.find(({ id }) => id === row.id),
                  props.playHead(),
                )}
                figures={laneFigures(row.id, lanes, props.playHead() ?? wallMs())}
                place={(places) => {
                  if (places) figures.current.set(row.id, places);
                  else figures.current.delete(row.id);
                }}
              />
            ))}
          </ul>
          <div className="relative min-w-0">
            <canvas
              ref={field}
              aria-hidden
              className="block w-full cursor-grab touch-pan-y active:cursor-grabbing"
              style={{ height: rows.length * shape.height }}
              onPointerDown={(event) => {
                drag.current = event.clientX;
                event.currentTarget.setPointerCapture(event.pointerId);
              }}
              onPointerUp={() => {
                drag.current = null;
              }}
              onPointerCancel={() => {
                drag.current = null;
              }}
              onPointerMove={move}
              onPointerLeave={() => setHover(null)}
            />
            {hover && (
              <span
                className="pointer-events-none absolute z-1 max-w-72 -translate-x-1/2 rounded-control border border-border bg-surface-raised px-2.5 py-1.5 text-12 text-text shadow-high"
                style={{ left: `clamp(80px, ${hover.x}px, calc(100% - 80px))`, top: hover.y + 18 }}
              >
                {hover.text}
              </span>
            )}
          </div>
        </div>
      </ScrollRegion>
    </div>
  );
}

const write = (element: HTMLElement, text: string): void => {
  if (element.textContent !== text) element.textContent = text;
};

function lastEnd(lanes: TurnLanes, id: string): number {
  const { made, heard } = lanes.lane(id);
  const ends = [made.at(-1)?.toMs ?? 0, heard.at(-1)?.toMs ?? 0];
  return Math.max(...ends.map((ms) => (Number.isFinite(ms) ? ms : wallMs())));
}

interface LaneHeadProps {
  row: TimelineSpeaker;
  height: number;
  state: ReturnType<typeof laneState>;
  figures: ReturnType<typeof laneFigures>;
  /** Takes the elements that the painter writes into; null when they are gone. */
  place: (places: { heard: HTMLElement | null; queued: HTMLElement | null } | null) => void;
}

/** Who speaks in a lane, what it is doing, and how much of it was heard. */
function LaneHead({ row, height, state, figures, place }: LaneHeadProps) {
  const places = useRef<{ heard: HTMLElement | null; queued: HTMLElement | null }>({
    heard: null,
    queued: null,
  });
  const isLow = height < ROOMY.height;
  const latest = useRef(place);
  latest.current = place;
  useEffect(() => {
    latest.current(places.current);
    return () => latest.current(null);
  }, []);
  const [initial = '?'] = row.name;
  return (
    <li
      data-voice={row.hue}
      style={{ height }}
      className="flex flex-col justify-center gap-2 border-b border-border px-2 text-12 wide:pr-3 wide:pl-5"
    >
      <div className="flex min-w-0 items-center gap-2">
        <span
          aria-hidden
          className="grid size-[18px] shrink-0 place-items-center rounded-inner bg-voice-tint text-12 font-semibold text-voice max-wide:hidden"
        >
          {initial.toUpperCase()}
        </span>
        <span className="truncate font-mono text-voice">{row.name}</span>
        <span className="ml-auto shrink-0 max-wide:hidden">
          {state.tone === 'neutral' ? (
            <span className="text-text-subtle">{state.word}</span>
          ) : (
            <Badge tone={state.tone}>{state.word}</Badge>
          )}
        </span>
      </div>
      <dl className={cx('grid grid-cols-2 gap-x-2', isLow && 'hidden')}>
        {(['heard', 'queued'] as const).map((name) => (
          <div key={name} className={cx(name === 'queued' && 'max-wide:hidden')}>
            <dt className="text-text-subtle">{name}</dt>
            <dd
              ref={(element) => {
                places.current[name] = element;
              }}
              className="font-mono whitespace-nowrap"
            >
              {seconds(name === 'heard' ? figures.heardSeconds : figures.queuedSeconds)}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
