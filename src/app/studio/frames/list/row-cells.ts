/**
 * Columns of the list, with their widths and where they are left out: a row is a line of boxes, because a table would
 * measure every cell again at every scroll. `fits` is how many characters there is room for where the column is
 * narrowest; null: any number may come.
 */
export const COLUMNS = [
  { id: 'index', title: '#', fits: 6, className: 'w-16 text-right @max-[760px]:w-11 @max-[560px]:hidden' },
  { id: 'direction', title: 'Direction', fits: 1, className: 'w-4 shrink-0' },
  { id: 'time', title: 'Time', fits: 12, className: 'w-22 text-right' },
  {
    id: 'gap',
    title: 'Gap',
    fits: 10,
    className: 'w-20 text-right @max-[760px]:w-18 @max-[560px]:hidden',
  },
  { id: 'kind', title: 'Frame', fits: 13, className: 'w-36 @max-[760px]:w-28 @max-[560px]:w-24' },
  { id: 'context', title: 'Context', fits: 13, className: 'w-24 @max-[760px]:hidden' },
  { id: 'turn', title: 'Turn', fits: 6, className: 'w-12 text-right @max-[860px]:hidden' },
  { id: 'chunk', title: 'Chunk', fits: 6, className: 'w-12 text-right @max-[860px]:hidden' },
  { id: 'summary', title: 'What it says', fits: null, className: 'min-w-0 flex-1' },
  {
    id: 'size',
    title: 'Size',
    fits: 8,
    className: 'w-18 text-right @max-[760px]:w-16 @max-[480px]:hidden',
  },
] as const;

export type ColumnId = (typeof COLUMNS)[number]['id'];

const BY_ID = new Map<ColumnId, { fits: number | null; whole: string; cut: string }>(
  COLUMNS.map(({ id, fits, className }) => [
    id,
    { fits, whole: `shrink-0 ${className}`, cut: `shrink-0 truncate ${className}` },
  ]),
);

/**
 * Gives a column its place, and cuts off what has no room there. A box that cuts costs the browser a clip of its own
 * in every frame that is painted, and the list has hundreds of boxes: one whose text is known to fit cuts nothing.
 * @param characters how long the text is; not given: nobody knows
 */
export function cellClass(id: ColumnId, characters = Number.POSITIVE_INFINITY): string {
  const column = BY_ID.get(id);
  if (!column) return '';
  return characters <= (column.fits ?? 0) ? column.whole : column.cut;
}
