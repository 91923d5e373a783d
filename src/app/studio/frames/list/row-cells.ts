/**
 * Columns of the list. A row is a line of boxes, because a table layout measures every cell at every scroll. `fits`:
 * characters that fit at the narrowest width; null: unlimited text.
 */
export const COLUMNS = [
  { id: 'index', title: '#', fits: 6, className: 'w-16 text-right @max-[760px]:w-11 @max-[560px]:hidden' },
  { id: 'direction', title: 'Direction', fits: 1, className: 'w-4 shrink-0' },
  { id: 'time', title: 'Time', fits: 12, className: 'w-22 text-right' },
  { id: 'gap', title: 'Gap', fits: 10, className: 'w-20 text-right @max-[760px]:w-18 @max-[560px]:hidden' },
  { id: 'kind', title: 'Frame', fits: 13, className: 'w-36 @max-[760px]:w-28 @max-[560px]:w-24' },
  { id: 'context', title: 'Context', fits: 13, className: 'w-24 @max-[760px]:hidden' },
  { id: 'turn', title: 'Turn', fits: 6, className: 'w-12 text-right @max-[860px]:hidden' },
  { id: 'chunk', title: 'Chunk', fits: 6, className: 'w-12 text-right @max-[860px]:hidden' },
  { id: 'summary', title: 'What it says', fits: null, className: 'min-w-0 flex-1' },
  { id: 'size', title: 'Size', fits: 8, className: 'w-18 text-right @max-[760px]:w-16 @max-[480px]:hidden' },
] as const;

export type ColumnId = (typeof COLUMNS)[number]['id'];

const BY_ID = new Map(
  COLUMNS.map(({ id, fits, className }) => [
    id,
    { fits: fits ?? 0, whole: `shrink-0 ${className}`, cut: `shrink-0 truncate ${className}` },
  ]),
);

/**
 * Returns the classes of a cell. A cell truncates only a text that may not fit, because each truncating box costs the
 * browser a clip in every painted frame.
 * @param characters length of the text; omitted: unknown
 */
export function cellClass(id: ColumnId, characters = Number.POSITIVE_INFINITY): string {
  const column = BY_ID.get(id);
  if (!column) return '';
  return characters <= column.fits ? column.whole : column.cut;
}
