import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { shallow } from 'zustand/shallow';
import { type RowRange, rowsInView } from './rows-in-view.ts';

/** Height of a row before the first one is measured. */
const ROW_PX = 24;

interface TableRowsProps {
  count: number;
  /** A row to scroll to; -1 for none. */
  reveal: number;
  children: (at: number) => ReactNode;
}

/** A table body in a `ScrollRegion` in which only the rows in view exist. Rows have one height. */
export function TableRows({ count, reveal, children }: TableRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [{ first, end, rowPx }, setShown] = useState(() => ({
    ...rowsInView(0, 0, ROW_PX, count),
    rowPx: ROW_PX,
  }));

  useLayoutEffect(() => {
    const node = body.current;
    const scroller = node?.closest('section');
    if (!node || !scroller) return;
    const look = () => {
      const topPx = scroller.getBoundingClientRect().top - node.getBoundingClientRect().top;
      const heightPx = node.querySelector<HTMLElement>('tr:not([aria-hidden])')?.offsetHeight || ROW_PX;
      const next = { ...rowsInView(topPx, scroller.clientHeight, heightPx, count), rowPx: heightPx };
      setShown((before) => (shallow(before, next) ? before : next));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(scroller);
    scroller.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', look);
    };
  }, [count]);

  useLayoutEffect(() => {
    const node = body.current;
    const scroller = node?.closest('section');
    if (!node || !scroller || reveal < 0) return;
    const topPx = reveal * rowPx;
    const viewPx = scroller.getBoundingClientRect().top - node.getBoundingClientRect().top;
    // Head and foot of a table stick to the edges of the view.
    const isInView = topPx >= viewPx + 2 * rowPx && topPx + 3 * rowPx <= viewPx + scroller.clientHeight;
    if (!isInView) scroller.scrollTop += topPx - viewPx - scroller.clientHeight / 2;
  }, [reveal, rowPx]);

  const shown: RowRange = { first: Math.min(first, count), end: Math.min(end, count) };
  return (
    <tbody ref={body}>
      <Spacer heightPx={shown.first * rowPx} />
      {Array.from({ length: shown.end - shown.first }, (_, index) => children(shown.first + index))}
      <Spacer heightPx={(count - shown.end) * rowPx} />
    </tbody>
  );
}

/** Takes the place of rows that are out of view. */
function Spacer({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null;
  return (
    <tr aria-hidden style={{ height: heightPx }}>
      <td className="p-0" />
    </tr>
  );
}
