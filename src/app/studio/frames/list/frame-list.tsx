import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type UIEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
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

const ROW_PX = 24;
const TOUCH_ROW_PX = 44;
/** The condition of `touch:` in the styles. */
const TOUCH = '(width < 900px), (pointer: coarse)';
const HEAD_PX = 24;
/** Rows rendered beyond the view, so that fast scrolling shows no holes. */
const OVERSCAN = 8;
/** One stop in the tab order: arrow keys move in it and unfold rows. */
const GRID = { role: 'treegrid', tabIndex: 0 } as const;

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
  const grid = useRef<HTMLTableElement>(null);
  /** Of the last scroll by a person or by this list. */
  const topPx = useRef(0);
  /** Row and place of the last press, until its click. */
  const pressed = useRef<{ row: SeenRow | null; clientY: number; listening: AbortController } | null>(null);
  useSyncExternalStore(listChanges.subscribe, () => listChanges.version);
  const total = useSyncExternalStore(listChanges.subscribe, () => frameWindow.total);
  /** First row when the scroll was last at rest. Elements move only then, into the order of the rows. */
  const [restRow, setRestRow] = useState(0);

  const list: Virtualizer<HTMLTableElement, Element> = useVirtualizer({
    count: total,
    getScrollElement: () => grid.current,
    estimateSize: () => rowPx,
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
    overscan: OVERSCAN,
    // A slow render must not delay the scroll; rows beyond the view are there meanwhile.
    useFlushSync: false,
    // The scroll to the newest row is reported a frame late.
    rangeExtractor: (range) =>
      defaultRangeExtractor(
        isFollowing ? { ...range, startIndex: total - rowsInView(), endIndex: total - 1 } : range,
      ),
  });
  const viewPx = Math.max(0, (list.scrollRect?.height ?? 0) - HEAD_PX);
  const rowsInView = () => Math.max(1, Math.floor(viewPx / rowPx));
  const shown = list.getVirtualItems();
  const firstRow = shown[0]?.index ?? 0;
  const lastRow = (shown.at(-1)?.index ?? -1) + 1;

  // A row that comes into view takes the element of one that leaves it, because new text costs less than a new element.
  const elements = Math.ceil((viewPx + HEAD_PX) / rowPx) + 1 + 2 * OVERSCAN;
  const elementOf = (at: number): number => (((at - restRow) % elements) + elements) % elements;
  const { isScrolling } = list;
  useEffect(() => {
    // An element that moves in the document while it is pressed gets no click.
    if (!isScrolling && !grid.current?.matches(':active')) setRestRow(firstRow);
  }, [isScrolling, firstRow]);

  useLayoutEffect(() => {
    void rowPx;
    list.measure();
  }, [list, rowPx]);

  const selectedRow = selection?.row ?? null;
  useLayoutEffect(() => {
    void [total, rowPx, viewPx];
    const element = grid.current;
    if (!element) return;
    if (isFollowing) element.scrollTop = element.scrollHeight;
    topPx.current = element.scrollTop;
  }, [isFollowing, total, rowPx, viewPx]);
  useLayoutEffect(() => {
    if (selectedRow === null || useFrames.getState().isFollowing) return;
    list.scrollToIndex(selectedRow);
    topPx.current = grid.current?.scrollTop ?? 0;
  }, [list, selectedRow]);

  // Scrolling up means reading, and scrolling to the end means following.
  const scrolled = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: UIEvent) => {
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - rowPx / 2;
    if (scrollTop < topPx.current - 1 && !isAtEnd) useFrames.setState({ isFollowing: false });
    else if (scrollTop > topPx.current + 1 && isAtEnd) useFrames.setState({ isFollowing: true });
    topPx.current = scrollTop;
  };

  // Every change may put other rows in view.
  useEffect(() => frameWindow.want(firstRow, lastRow));
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
    const middle = Math.floor((topPx.current + viewPx / 2) / rowPx);
    const move = (by: number) => {
      useFrames.setState({ isFollowing: false });
      framesView.move(by, isFollowing ? total - 1 : middle);
    };
    const goTo = (to: number) => {
      useFrames.setState({ isFollowing: false });
      void framesView.select(to);
    };
    const page = rowsInView();
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

  const middleRow = shown[shown.length >> 1]?.index ?? 0;
  const isAhead = isScrolling && frameWindow.row(middleRow) === undefined;
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
        onScroll={scrolled}
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
        <tbody className="relative block" style={{ height: total * rowPx }}>
          {shown
            .map(({ index }) => index)
            .sort((a, b) => elementOf(a) - elementOf(b))
            .map((at) => {
              const row = frameWindow.row(at);
              const head = row && headOf(row);
              return (
                <FrameRow
                  key={at % elements}
                  id={rowId(listId, at)}
                  at={at}
                  heightPx={rowPx}
                  row={row}
                  hue={head ? hueOf(head) : null}
                  hasContexts={hasContexts}
                  withAdvice={withAdvice}
                  isSelected={at === selectedRow}
                  isHit={head !== undefined && row?.type !== 'run' && framesView.hits.has(head.index)}
                />
              );
            })}
        </tbody>
      </table>
      <HitMarks topPx={HEAD_PX} />
      {/* A dragged scrollbar is ahead of the rows. */}
      {isAhead && (
        <p
          aria-hidden
          className="absolute top-1/2 right-4 rounded-control border border-border bg-surface-raised px-2 py-1 font-mono text-12 shadow-high"
        >
          {count(middleRow + 1)} of {count(total)}
        </p>
      )}
      <FollowButton className="absolute bottom-3 left-1/2 -translate-x-1/2" />
    </div>
  );
}

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
