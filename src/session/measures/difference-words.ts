import type { Difference } from '#recordings/difference/differences.ts';
import { MEASURES } from './definitions.ts';
import { measureText } from './measure-text.ts';

/** Returns a difference in words, for a table. */
export function differenceWords({ kind, what, a, b }: Difference): {
  what: string;
  change: 'new' | 'gone' | 'changed';
  a: string;
  b: string;
} {
  const measure = MEASURES.find(({ id }) => id === what) ?? { title: what, unit: 'ms' };
  const text = (value: Difference['a']): string => {
    if (value === null) return '–';
    return kind === 'timing' && typeof value === 'number' ? measureText(measure, value) : String(value);
  };
  const change = a === null ? 'new' : b === null ? 'gone' : 'changed';
  return { what: measure.title, change, a: text(a), b: text(b) };
}
