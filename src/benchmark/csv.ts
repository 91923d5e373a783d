import { wordList } from '#lib/word-list.ts';
import { RUN_MEASURES } from './measures.ts';
import type { Results } from './results.ts';

/** Returns a line for each run, failed ones included (RFC 4180). An unknown value is empty. */
export function writeCsv({ plan, runs }: Results): string {
  const head = [
    ...wordList(
      'round configuration text connection startedAt failure audioSeconds characters costCents currency',
    ),
    ...RUN_MEASURES.map(({ id }) => id),
  ];
  const lines = runs.map((run) => [
    run.round,
    plan.configurations[run.configuration]?.name ?? '',
    plan.texts[run.text]?.name ?? '',
    run.connection,
    new Date(run.startedAtMs).toISOString(),
    run.failure ?? '',
    run.audioSeconds,
    run.characters,
    run.costCents ?? '',
    run.currency ?? '',
    ...RUN_MEASURES.map(({ id }) => run.measures[id] ?? ''),
  ]);
  return csvText([head, ...lines]);
}

/** Returns rows as CSV (RFC 4180). Null is an empty cell. */
export const csvText = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');

/** Prefixes text that a spreadsheet would evaluate as a formula. */
function cellText(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
