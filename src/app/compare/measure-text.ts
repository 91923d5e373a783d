import type { MeasureUnit } from '#session/measures/definitions.ts';
import { bytes, count, counted, milliseconds } from '../wording/format.ts';

/** A measure as it is written on the page. */
export function measureText(unit: MeasureUnit, value: number | null): string {
  if (value === null) return 'unknown';
  switch (unit) {
    case 'ms':
      return milliseconds(value).replace('-', '−');
    case 'times':
      return count(value);
    case 'ratio':
      return value.toFixed(3);
    case 'characters/s':
      return `${value.toFixed(1)} chars/s`;
    case 'bytes/s':
      return `${bytes(Math.round(value))}/s`;
  }
}

/** The size of a difference, without its sign. */
export const sizeText = (unit: MeasureUnit, difference: number): string =>
  unit === 'times' ? counted(Math.abs(difference), 'time') : measureText(unit, Math.abs(difference));
