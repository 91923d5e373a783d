import { type ReactNode, useState } from 'react';
import { count } from '#lib/format.ts';
import { Button } from '../button.tsx';
import { cx } from '../cx.ts';

/** Items at first. */
const PAGE = 25;
/** Items with each press. */
const MORE = 100;

interface PagedListProps<Item> {
  label: string;
  items: readonly Item[];
  children: (item: Item) => ReactNode;
  /** Of the box that scrolls. */
  className?: string;
}

/** A list that renders its first items, and more on demand, because thousands would slow the page. */
export function PagedList<Item>({ label, items, children, className }: PagedListProps<Item>) {
  const [wanted, setWanted] = useState(PAGE);
  const hidden = items.length - wanted;
  return (
    <div className={cx('min-h-0 overflow-y-auto', className)}>
      <ul aria-label={label}>{items.slice(0, wanted).map(children)}</ul>
      {hidden > 0 && (
        <Button variant="ghost" size="small" className="ml-1" onClick={() => setWanted(wanted + MORE)}>
          Show {count(Math.min(MORE, hidden))} more
        </Button>
      )}
    </div>
  );
}
