import { RUN_MEASURES } from './measures.ts';
import type { Results } from './results.ts';

/** Returns a line for each run, failed ones included (RFC 4180). An unknown value is empty. */
export function writeCsv({ plan, runs }: Results): string {
  const head = [
    'round',
    'configuration',
    'text',
    'connection',
    'startedAt',
    'failure',
    'audioSeconds',
    'characters',
    'costCents',
    'currency',
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
  return [head, ...lines].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

/** Prefixes text that a spreadsheet would evaluate as a formula. */
function cellText(cell: string | number): string {
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
