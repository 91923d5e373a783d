import type { Difference } from '#recordings/difference/differences.ts';
import { MEASURES } from './definitions.ts';
import { measureText } from './measure-text.ts';

/** Returns the cells of a row in a table of differences, by their columns. */
export function differenceWords({ place, kind, what, a, b }: Difference): Record<string, string> {
  const measure = MEASURES.find(({ id }) => id === what) ?? { title: what, unit: 'ms' };
  const text = (value: Difference['a']): string => {
    if (value === null) return '–';
    return kind === 'timing' && typeof value === 'number' ? measureText(measure, value) : String(value);
  };
  const change = a === null ? 'new' : b === null ? 'gone' : 'changed';
  return { place, kind, what: measure.title, change, A: text(a), B: text(b) };
}
