/**
 * Columns of the list, with their widths and where they are left out: a row is a line of boxes, because a table would
 * measure every cell again at every scroll.
 */
export const COLUMNS = [
  { id: 'index', title: '#', className: 'w-16 text-right @max-[760px]:w-11 @max-[560px]:hidden' },
  { id: 'direction', title: 'Direction', className: 'w-4 shrink-0' },
  { id: 'time', title: 'Time', className: 'w-22 text-right' },
  { id: 'gap', title: 'Gap', className: 'w-20 text-right @max-[760px]:w-18 @max-[560px]:hidden' },
  { id: 'kind', title: 'Frame', className: 'w-36 @max-[760px]:w-28 @max-[560px]:w-24' },
  { id: 'context', title: 'Context', className: 'w-24 @max-[760px]:hidden' },
  { id: 'turn', title: 'Turn', className: 'w-12 text-right @max-[860px]:hidden' },
  { id: 'chunk', title: 'Chunk', className: 'w-12 text-right @max-[860px]:hidden' },
  { id: 'summary', title: 'What it says', className: 'min-w-0 flex-1' },
  { id: 'size', title: 'Size', className: 'w-18 text-right @max-[760px]:w-16 @max-[480px]:hidden' },
] as const;

export type ColumnId = (typeof COLUMNS)[number]['id'];

/** Gives a column its place, whatever is in it. */
export const cellClass = (id: ColumnId): string =>
  `shrink-0 truncate ${COLUMNS.find((column) => column.id === id)?.className ?? ''}`;
