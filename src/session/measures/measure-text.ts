import { bytes, count, counted, milliseconds, plausibly, UNKNOWN, withMinus } from '#lib/format.ts';
import { factorOf } from '#trace/speed.ts';
import { type Measure, measureOf } from './definitions.ts';

type Unit = Measure['unit'];

const MAX_RATE = 1e6;
const MAX_BYTE_RATE = 1e12;

/** Formats a value of a measure in its unit: `312 ms`, `3`, `0.034`, `15.2 chars/s`, `64.1 kB/s`; null is `unknown`. */
export const measureText = ({ unit }: { unit: Unit }, value: number | null): string =>
  value === null ? UNKNOWN : withMinus(value, (size) => sizeText(unit, size));

function sizeText(unit: Unit, size: number): string {
  switch (unit) {
    case 'ms':
      return milliseconds(size);
    case 'times':
      return count(size);
    case 'ratio':
      return plausibly(size, MAX_RATE, (ratio) => ratio.toFixed(ratio < 0.1 ? 3 : 2));
    case '%':
      return plausibly(size, MAX_RATE, (percent) => `${percent.toFixed(1)} %`);
    case 'characters/s':
      return plausibly(size, MAX_RATE, (rate) => `${rate.toFixed(1)} chars/s`);
    case 'bytes/s':
      return plausibly(size, MAX_BYTE_RATE, (rate) => `${bytes(Math.round(rate))}/s`);
    case 'LUFS':
      return `${size.toFixed(1)} ${unit}`;
  }
}

/** Formats `58 to 1851 ms`: the unit twice only where the ends differ in it, and `58 ms` where both read the same. */
export function measureRangeText(measure: { unit: Unit }, least: number, most: number): string {
  const [low, high] = [measureText(measure, least), measureText(measure, most)];
  if (low === high) return high;
  const at = high.indexOf(' ');
  const suffix = at < 0 ? '' : high.slice(at);
  return `${suffix && low.endsWith(suffix) ? low.slice(0, -suffix.length) : low} to ${high}`;
}

/** Formats the size of a difference, without its sign: `21 ms`, `1 time`. */
export const differenceText = ({ unit }: { unit: Unit }, difference: number): string =>
  unit === 'times' ? counted(Math.abs(difference), 'time') : measureText({ unit }, Math.abs(difference));

const RTF = measureOf('rtf');

/** Formats generation time over audio time; `–` where the first is unknown or there is no audio. */
export function rtfText(generationMs: number | null, audioMs: number): string {
  const factor = factorOf(generationMs, audioMs);
  return factor === null ? '–' : measureText(RTF, factor);
}
