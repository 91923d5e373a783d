import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { HEX_ROW_BYTES, hexOffset, hexRowCount, hexRows } from '#lib/hex.ts';
import { ScrollRegion } from '../../../ui/scroll-region.tsx';

const ROW_PX = 20;
const OVERSCAN = 12;

/** Bytes sixteen a row, with offsets and ASCII. Only the rows in view exist. */
export function HexView({ bytes }: { bytes: Uint8Array }) {
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: hexRowCount(bytes.length),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  if (bytes.length === 0) return <p className="text-12 text-text-subtle">No bytes.</p>;
  const inView = rows.getVirtualItems();
  const from = inView[0]?.index ?? 0;
  return (
    <ScrollRegion
      ref={scroller}
      label="Frame as bytes"
      className="max-h-[360px] overflow-auto rounded-control border border-border bg-surface-sunken"
    >
      <div className="relative min-w-max" style={{ height: rows.getTotalSize() + 16 }}>
        {/* As wide as a full row, so that scrolling keeps the width. */}
        <pre aria-hidden className="invisible h-0 px-2.5 font-mono text-12">
          {' '.repeat(8 + 2 + 3 * HEX_ROW_BYTES + 1 + 2 + HEX_ROW_BYTES)}
        </pre>
        <pre
          dir="ltr"
          className="absolute top-2 left-2.5 font-mono text-12"
          style={{ lineHeight: `${ROW_PX}px`, transform: `translateY(${from * ROW_PX}px)` }}
        >
          {hexRows(bytes, from, (inView.at(-1)?.index ?? -1) + 1).map(({ offset, bytes: pairs, ascii }) => (
            <span key={offset} className="block">
              <span className="text-text-subtle">{hexOffset(offset)}</span>
              {'  '}
              {halves(pairs).padEnd(3 * HEX_ROW_BYTES)}
              {'  '}
              <span className="text-text-muted">{ascii}</span>
            </span>
          ))}
        </pre>
      </div>
    </ScrollRegion>
  );
}

/** Eight and eight, which are counted faster than sixteen. */
const halves = (pairs: readonly string[]): string =>
  [pairs.slice(0, 8), pairs.slice(8)]
    .filter((half) => half.length > 0)
    .map((half) => half.join(' '))
    .join('  ');
