/** Prints a table: title, explanation, aligned columns. */
export function printTable(title: string, note: string, rows: readonly Record<string, string>[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  const body = rows.map((row) => line(columns.map((column) => row[column] ?? '')));
  process.stdout.write(
    `\n${title}\n${note}\n\n${[line(columns), line(widths.map((width) => '-'.repeat(width))), ...body].join('\n')}\n`,
  );
}
