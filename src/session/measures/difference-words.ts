import type { Difference } from '#recordings/difference/differences.ts';
import { MEASURES } from './definitions.ts';
import { measureText } from './measure-text.ts';

/** The columns of a table of differences. */
export const DIFFERENCE_COLUMNS = ['place', 'kind', 'what', 'change', 'A', 'B'] as const;

/** Returns a row of a table of differences. */
export function differenceWords({
  place,
  kind,
  what,
  a,
  b,
}: Difference): Record<(typeof DIFFERENCE_COLUMNS)[number], string> {
  const measure = MEASURES.find(({ id }) => id === what) ?? { title: what, unit: 'ms' };
  const text = (value: Difference['a']): string => {
    if (value === null) return '–';
    return kind === 'timing' && typeof value === 'number' ? measureText(measure, value) : String(value);
  };
  const change = a === null ? 'new' : b === null ? 'gone' : 'changed';
  return { place, kind, what: measure.title, change, A: text(a), B: text(b) };
}
