import type { Results } from '#benchmark/results.ts';
import { counted } from '#lib/format.ts';
import { timeWords } from './estimate-words.ts';

/** How a benchmark ended, in words. */
export function outcomeWords({ ended, endedWhy, runs, startedAtMs, endedAtMs }: Results): {
  severity: 'info' | 'warning' | 'error';
  title: string;
  detail: string;
} {
  const failed = runs.filter(({ failure }) => failure !== null).length;
  const made = `${counted(runs.length, 'run')} in ${timeWords(endedAtMs - startedAtMs)}${failed > 0 ? `, ${failed} of them failed` : ''}.`;
  switch (ended) {
    case 'finished':
      return { severity: 'info', title: 'Finished.', detail: made };
    case 'cancelled':
      return { severity: 'warning', title: 'Cancelled', detail: `What was measured is kept: ${made}` };
    case 'budget':
      return { severity: 'warning', title: 'Stopped at the budget', detail: `${endedWhy ?? ''} ${made}` };
    case 'failing':
      return { severity: 'error', title: 'Given up', detail: `${endedWhy ?? ''} ${made}` };
  }
}
