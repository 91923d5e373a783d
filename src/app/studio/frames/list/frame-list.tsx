import { ArrowDown } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { shallow } from 'zustand/shallow';
import { count } from '#lib/format.ts';
import type { ShownRow } from '#recordings/view/frame-list.ts';
import { useMedia } from '../../../browser/use-media.ts';
import { selectShowsCalls, useRecordings } from '../../../recordings-client/recordings-store.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { frameWindow, headOf, listChanges } from '../view/frame-window.ts';
import { useFrames } from '../view/frames-store.ts';
import { framesView } from '../view/frames-view.ts';
import { useHues } from '../view/use-hues.ts';
import { FrameRow, rowId } from './frame-row.tsx';
import { HitMarks } from './hit-marks.tsx';
import { COLUMNS, cellClass } from './row-cells.ts';
import { GROUP_ROWS, groupsByElement, MAX_CONTENT_PX, ScrollScale } from './scroll-scale.ts';

const ROW_PX = 24;
const TOUCH_ROW_PX = 44;
/** The condition of `touch:` in the styles. */
const TOUCH = '(width < 900px), (pointer: coarse)';
const HEAD_PX = 24;
/** Rows rendered beyond the view, so that fast scrolling shows no holes. */
const OVERSCAN = 8;
/** One stop in the tab order: arrow keys move in it and unfold rows. */
const GRID = { role: 'treegrid', tabIndex: 0 } as const;
/** The bar is at rest after this time without a scroll. */
const REST_MS = 150;

/** The frames in rows. Only rows in view exist. */
export function FrameTable() {
  const listId = useId();
  const hasContexts = useRecordings((state) => state.shown.facets.contexts.length > 0);
  const isOfCalls = useRecordings(selectShowsCalls);
  const selection = useFrames((state) => state.selection);
  const isFollowing = useFrames((state) => state.isFollowing);
  const withAdvice = useFrames((state) => state.withAdvice);
  const hueOf = useHues();
  const rowPx = useMedia(TOUCH) ? TOUCH_ROW_PX : ROW_PX;
  const scale = useMemo(() => new ScrollScale(rowPx), [rowPx]);
  const grid = useRef<HTMLTableElement>(null);
  const [viewPx, setViewPx] = useState(0);
  const [placed, setPlaced] = useState(NOTHING_PLACED);
  const { total, first, count, top, shiftPx } = placed;

  /** Row and place of the last press, until its click. */
  const pressed = useRef<{ row: SeenRow | null; clientY: number; listening: AbortController } | null>(null);
  /** Scroll position to set once the list is high enough; null: the browser's. */
  const wantedTop = useRef<number | null>(null);

  const look = useCallback(
    (scrollTop: number | null, isAtRest = false) => {
      const { total } = frameWindow;
      const { first, count } = scale.groups(OVERSCAN);
      const shiftPx = scale.placeOf(0);
      const { version } = listChanges;
      const isMoved = scrollTop !== null && Math.abs((grid.current?.scrollTop ?? 0) - scrollTop) >= 1;
      if (isMoved) wantedTop.current = scrollTop;
      setPlaced((before) => {
        const top = isAtRest || count !== before.count ? first : before.top;
        const next = { total, first, count, top, shiftPx, version };
        return !isMoved && shallow(before, next) ? before : next;
      });
    },
    [scale],
  );
  const place = useCallback(() => {
    // The browser may have scrolled since the last measurement.
    if (grid.current && wantedTop.current === null) scale.scrolled(grid.current.scrollTop);
    scale.resize(frameWindow.total, viewPx);
    // Read here, because another recording may be shown before the next render.
    const { isFollowing } = useFrames.getState();
    look(isFollowing ? scale.moveTo(scale.maxTopPx) : scale.settle());
  }, [scale, viewPx, look]);

  useLayoutEffect(() => {
    const element = grid.current;
    if (!element) return;
    const measure = () => setViewPx(Math.max(0, element.clientHeight - HEAD_PX));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    void isFollowing;
    let { total } = frameWindow;
    let { recording } = frameWindow;
    place();
    return listChanges.subscribe(() => {
      const isOther = frameWindow.recording !== recording;
      if (frameWindow.total === total && !isOther) look(null);
      else {
        total = frameWindow.total;
        recording = frameWindow.recording;
        // Another recording begins at its first row.
        if (isOther) look(scale.moveTo(0));
        place();
      }
    });
  }, [place, look, scale, isFollowing]);

  useLayoutEffect(() => {
    void placed;
    if (grid.current && wantedTop.current !== null) grid.current.scrollTop = wantedTop.current;
    wantedTop.current = null;
  }, [placed]);

  const selectedRow = selection?.row ?? null;
  useLayoutEffect(() => {
    if (selectedRow !== null && !useFrames.getState().isFollowing) look(scale.reveal(selectedRow));
  }, [scale, selectedRow, look]);

  useEffect(() => {
    const element = grid.current;
    if (!element) return;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      // An element that moves in the document while it is pressed gets no click.
      if (element.matches(':active')) {
        rest = setTimeout(settle, REST_MS);
        return;
      }
      look(scale.settle(), true);
    };
    // Looks at once. In the next paint, `place` may have moved the scale ahead of the element, which would look like a
    // scroll up.
    const scrolled = () => {
      const before = scale.topPx;
      scale.scrolled(element.scrollTop);
      look(null);
      // Scrolling up means reading, and scrolling to the end means following.
      if (scale.topPx < before - 1 && !scale.isAtEnd) useFrames.setState({ isFollowing: false });
      else if (scale.topPx > before + 1 && scale.isAtEnd) useFrames.setState({ isFollowing: true });
      clearTimeout(rest);
      rest = setTimeout(settle, REST_MS);
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      clearTimeout(rest);
      element.removeEventListener('scroll', scrolled);
    };
  }, [scale, look]);

  const firstRow = first * GROUP_ROWS;
  const lastRow = Math.min(firstRow + count * GROUP_ROWS, total);
  useEffect(() => {
    // Every change may put other rows in view.
    void placed;
    frameWindow.want(firstRow, lastRow);
  }, [firstRow, lastRow, placed]);

  // An unmounted list must neither follow the recording nor wait for a release.
  useEffect(() => () => frameWindow.want(0, 0), []);
  useEffect(() => () => pressed.current?.listening.abort(), []);

  const pointerDown = ({ target, clientY, isPrimary, button, pointerId }: PointerEvent) => {
    if (!isPrimary || button !== 0) return;
    pressed.current?.listening.abort();
    const listening = new AbortController();
    const down = { row: seenRow(target), clientY, listening };
    pressed.current = down;
    const released = (event: globalThis.PointerEvent) => {
      if (event.pointerId !== pointerId) return;
      listening.abort();
      // An element that is removed while it is pressed gets no click, or an ancestor gets it in this task.
      const isLost = target instanceof Node && !target.isConnected;
      if (isLost) setTimeout(() => pressed.current === down && click(event));
    };
    addEventListener('pointerup', released, { signal: listening.signal });
  };
  const click = ({ target, clientY }: Pick<MouseEvent, 'clientY'> & { target: EventTarget | null }) => {
    const down = pressed.current;
    pressed.current = null;
    const released = seenRow(target);
    const hasStayed = down !== null && Math.abs(clientY - down.clientY) < rowPx / 2;
    // Rows may move between press and release, so the row that was pressed is opened. A drag over rows opens none.
    const row = down && (hasStayed || released) ? down.row : released;
    if (!row || row.recording !== frameWindow.recording) return;
    void (row.content ? framesView.open(row.content) : framesView.openAt(row.at));
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = Math.floor((scale.topPx + viewPx / 2) / rowPx);
    const move = (by: number) => {
      useFrames.setState({ isFollowing: false });
      framesView.move(by, isFollowing ? total - 1 : middle);
    };
    const goTo = (to: number) => {
      useFrames.setState({ isFollowing: false });
      void framesView.select(to);
    };
    const page = scale.rowsInView;
    const row = selectedRow;
    const actions: Readonly<Record<string, () => void>> = {
      j: () => move(1),
      ArrowDown: () => move(1),
      k: () => move(-1),
      ArrowUp: () => move(-1),
      PageDown: () => move(page),
      PageUp: () => move(-page),
      Home: () => goTo(0),
      End: () => goTo(total - 1),
      n: () => framesView.goOn(1),
      N: () => framesView.goOn(-1),
      p: () => framesView.goOn(-1),
      ...(row !== null && {
        Enter: () => void framesView.openAt(row),
        ArrowRight: () => void framesView.setOpen(row, true),
        ArrowLeft: () => void framesView.setOpen(row, false),
      }),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  const isShown = selectedRow !== null && selectedRow >= firstRow && selectedRow < lastRow;
  const active = isShown ? { 'aria-activedescendant': rowId(listId, selectedRow) } : {};
  return (
    <div className="painted-alone @container relative min-h-0 flex-1">
      {/* Opaque, because the browser repaints a translucent scroller as a whole instead of moving it. */}
      <table
        ref={grid}
        {...GRID}
        {...active}
        aria-label="Frames"
        aria-rowcount={total + 1}
        onKeyDown={press}
        onPointerDown={pointerDown}
        onPointerCancel={() => {
          pressed.current?.listening.abort();
          pressed.current = null;
        }}
        onClick={click}
        className="relative block h-full overflow-x-hidden overflow-y-auto bg-surface overscroll-contain [overflow-anchor:none] outline-offset-[-2px]"
      >
        <thead className="sticky top-0 z-1 block bg-surface" style={{ height: HEAD_PX }}>
          <tr
            aria-rowindex={1}
            className="flex h-full items-center gap-3 border-b border-border pr-4 pl-3 text-12 text-text-subtle"
          >
            {COLUMNS.map(({ id, title }) =>
              id === 'context' && !hasContexts ? null : (
                <th key={id} scope="col" className={cx(cellClass(id), 'text-left font-normal')}>
                  {id === 'direction' ? (
                    <span className="sr-only">{title}</span>
                  ) : id === 'turn' && isOfCalls ? (
                    'Call'
                  ) : (
                    title
                  )}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody className="block" style={{ height: Math.min(total * rowPx, MAX_CONTENT_PX) }} />
        {groupsByElement(first, count, top).map((group) => {
          const rows = rowsOf(group, total);
          // An empty group below the last row would let the list scroll beyond its end.
          if (rows.length === 0) return null;
          return (
            <tbody
              key={group % count}
              className="absolute inset-x-0 block contain-strict"
              style={{ top: HEAD_PX + shiftPx + group * GROUP_ROWS * rowPx, height: rows.length * rowPx }}
            >
              {rows.map((at) => {
                const row = frameWindow.row(at);
                const isRun = row?.type === 'run';
                const head = row && headOf(row);
                return (
                  <FrameRow
                    key={at % GROUP_ROWS}
                    id={rowId(listId, at)}
                    at={at}
                    heightPx={rowPx}
                    row={row}
                    hue={head ? hueOf(head) : null}
                    hasContexts={hasContexts}
                    withAdvice={withAdvice}
                    isSelected={at === selectedRow}
                    isHit={head !== undefined && !isRun && framesView.hits.has(head.index)}
                  />
                );
              })}
            </tbody>
          );
        })}
      </table>
      <HitMarks topPx={HEAD_PX} />
      <FollowButton className="absolute bottom-3 left-1/2 -translate-x-1/2" />
    </div>
  );
}

interface Placed {
  total: number;
  /** Groups of rows that exist. */
  first: number;
  count: number;
  /** Group at the top when the scroll was last at rest. Elements move only then, into the order of the rows. */
  top: number;
  /** Offset of row 0; 0 unless the list is higher than an element can be. */
  shiftPx: number;
  version: number;
}

const NOTHING_PLACED: Placed = { total: 0, first: 0, count: 0, top: 0, shiftPx: 0, version: -1 };

const rowsOf = (group: number, total: number): number[] => {
  const from = group * GROUP_ROWS;
  return Array.from({ length: Math.min(GROUP_ROWS, Math.max(0, total - from)) }, (_, i) => from + i);
};

interface SeenRow {
  recording: string | null;
  at: number;
  /** Undefined: not known yet. */
  content: ShownRow | undefined;
}

/** Returns the row that an event is in, as it is shown; null: in none. */
function seenRow(target: EventTarget | null): SeenRow | null {
  const row = target instanceof Element ? target.closest('tr')?.getAttribute('data-row') : null;
  if (!row) return null;
  const at = Number(row);
  return { recording: frameWindow.recording, at, content: frameWindow.row(at) };
}

/** Follows the newest frame again, and shows how many frames arrived since following ended. */
function FollowButton({ className }: { className: string }) {
  const isFollowing = useFrames((state) => state.isFollowing);
  return isFollowing ? null : <NewerFrames className={className} />;
}

/** Counts from the moment at which following ended, which mounts it. */
function NewerFrames({ className }: { className: string }) {
  const isGrowing = useRecordings((state) => state.shown.isGrowing);
  const matches = useRecordings((state) => state.shown.matches);
  const [leftAt] = useState(matches);
  if (!isGrowing || matches === 0) return null;
  const newer = Math.max(0, matches - leftAt);
  return (
    <Button
      size="small"
      icon={ArrowDown}
      onClick={() => useFrames.setState({ isFollowing: true })}
      className={cx('bg-surface-raised shadow-high hover:bg-surface-raised', className)}
    >
      Follow the newest
      {newer > 0 && <span className="font-mono font-normal text-text-subtle">{count(newer)} newer</span>}
    </Button>
  );
}
