import { largest } from '#lib/collections/arrays.ts';
/** Prints a table: title, explanation, aligned columns. @param cells aligns those behind the first column */
export function printTable(
  title: string,
  note: string,
  rows: readonly Record<string, string>[],
  cells: 'left' | 'right' = 'right',
): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const widths = columns.map((column) =>
    largest(
      rows.map((row) => (row[column] ?? '').length),
      column.length,
    ),
  );
  const aligned = (cell: string, index: number): string =>
    index === 0 || cells === 'left' ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0);
  const line = (values: readonly string[]) => values.map(aligned).join('  ').trimEnd();
  // Names in cells may come from any server.
  const body = rows.map((row) => line(columns.map((column) => (row[column] ?? '').replace(/\p{Cc}/gu, ' '))));
  process.stdout.write(
    `\n${title}\n${note}\n\n${[line(columns), line(widths.map((width) => '-'.repeat(width))), ...body].join('\n')}\n`,
  );
}
