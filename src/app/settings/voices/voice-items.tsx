import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { type VoiceItemProps, VoiceRow, VoiceTile } from './voice-item.tsx';
import type { VoiceOption } from './voice-options.ts';

const LAYOUTS = {
  list: { Item: VoiceRow, heightPx: 56, gapPx: 0, minWidthPx: Number.POSITIVE_INFINITY },
  grid: { Item: VoiceTile, heightPx: 152, gapPx: 12, minWidthPx: 260 },
};

export type VoiceLayout = keyof typeof LAYOUTS;

/** Rows beyond the view that are kept, so that fast scrolling shows no holes. */
const OVERSCAN = 4;
/** Rows of a step with Page Up or Page Down. */
const PAGE_ROWS = 6;

/** The one voice that the Tab key reaches. Arrow keys move from it to the others. */
export interface VoiceStop {
  index: number;
  /** Changes with each move that takes the focus along. */
  focusedBy: object | null;
}

interface VoiceItemsProps {
  layout: VoiceLayout;
  choices: readonly VoiceOption[];
  stop: VoiceStop;
  /** The element that scrolls. */
  scroller: RefObject<HTMLElement | null>;
  onStop: (index: number) => void;
  onKeyDown: (event: KeyboardEvent, columns: number) => void;
  propsOf: (choice: VoiceOption) => Omit<VoiceItemProps, 'choice' | 'isStop'>;
}

/** Voices in rows and columns. Only rows in view are rendered, because there may be thousands of voices. */
export function VoiceItems(props: VoiceItemsProps) {
  const { layout, choices, stop, scroller, onStop, onKeyDown, propsOf } = props;
  const { Item, heightPx, gapPx, minWidthPx } = LAYOUTS[layout];
  const list = useRef<HTMLUListElement>(null);
  const [{ widthPx, topPx }, setBox] = useState({ widthPx: 0, topPx: 0 });
  useLayoutEffect(() => {
    const ul = list.current;
    if (!ul) return;
    const measure = () => setBox({ widthPx: ul.clientWidth, topPx: ul.offsetTop });
    // What is above may move it without a change of its size.
    const observer = new ResizeObserver(measure);
    for (const element of [ul, ...(ul.parentElement?.children ?? [])]) observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  const columns = Math.max(1, Math.floor((widthPx + gapPx) / (minWidthPx + gapPx)));
  const rowOf = (index: number): number => Math.floor(index / columns);
  const rows = useVirtualizer({
    count: Math.ceil(choices.length / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => heightPx,
    gap: gapPx,
    overscan: OVERSCAN,
    scrollMargin: topPx,
    // An item with the focus stays, also out of view.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), rowOf(stop.index)])].sort((a, b) => a - b),
  });
  const { focusedBy } = stop;
  useEffect(() => {
    if (focusedBy) list.current?.querySelector<HTMLElement>('[data-item][tabindex="0"]')?.focus();
  }, [focusedBy]);
  const stopRow = rowOf(stop.index);
  useEffect(() => {
    // The page of a grid begins with what is above it.
    if (layout === 'list' && choices.length > 0) rows.scrollToIndex(stopRow, { align: 'auto' });
  }, [layout, choices, stopRow, rows]);
  const keep = ({ target }: FocusEvent) => {
    const item = target.closest<HTMLElement>('[data-at]');
    if (item) onStop(Number(item.dataset.at));
  };
  return (
    <ul
      ref={list}
      aria-label="Voices"
      onFocus={keep}
      onKeyDown={(event) => onKeyDown(event, columns)}
      className="relative shrink-0"
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().flatMap(({ index: row, start }) =>
        choices.slice(row * columns, (row + 1) * columns).map((choice, column) => {
          const index = row * columns + column;
          return (
            <li
              key={choice.key}
              data-at={index}
              aria-setsize={choices.length}
              aria-posinset={index + 1}
              className="absolute top-0 left-0"
              style={{
                height: heightPx,
                width: `calc((100% - ${(columns - 1) * gapPx}px) / ${columns})`,
                transform: `translate(calc(${column} * (100% + ${gapPx}px)), ${start - topPx}px)`,
              }}
            >
              <Item choice={choice} isStop={index === stop.index} {...propsOf(choice)} />
            </li>
          );
        }),
      )}
    </ul>
  );
}

/** Returns the place that a key leads to from a voice; null for another key, and at the edge. */
export function voiceStep(key: string, at: number, count: number, columns: number): number | null {
  const page = PAGE_ROWS * columns;
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    PageDown: Math.min(at + page, count - 1),
    PageUp: Math.max(at - page, 0),
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined || to === at || to < 0 || to >= count ? null : to;
}
