import type { MeasureUnit } from '#session/measures/definitions.ts';

/** How figures are written on the page: rounded to what they mean, with their unit; unknown is said, never shown as 0. */

const UNKNOWN = 'unknown';
/** Made once: what makes one for every figure takes longer than the figure. */
const grouped = new Intl.NumberFormat('en');

/** `312 ms`; from ten seconds on `12.4 s`. */
export function milliseconds(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  const whole = Math.round(ms);
  return Math.abs(whole) >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${whole} ms`;
}

/** `84 µs`; from a millisecond on `1.2 ms`. */
export const microseconds = (ms: number): string =>
  ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(1)} ms`;

/** `5.40 s`; from ten minutes on `12:05 min`. */
export function seconds(s: number | null): string {
  if (s === null) return UNKNOWN;
  if (s < 600) return `${s.toFixed(2)} s`;
  const whole = Math.round(s);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
}

/** `1,240`. */
export const count = (value: number | null): string => (value === null ? UNKNOWN : grouped.format(value));

/** `141 characters`, `1 turn`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${grouped.format(value)} ${value === 1 ? one : many}`;

const SYMBOLS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£' };

/** Hundredths of the currency unit as `€0.0049`, `€0.49`, `€12.30`: four decimals below a tenth of the unit. */
export function money(cents: number | null, currency: string | null): string {
  if (cents === null) return UNKNOWN;
  const amount = cents / 100;
  const digits = cents !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
  const figure = amount.toFixed(digits);
  if (currency === null) return figure;
  const symbol = SYMBOLS[currency.toUpperCase()];
  return symbol ? `${symbol}${figure}` : `${figure} ${currency}`;
}

/** `4.2 kB`; decimal units. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

/** `0.034`: generation time over audio time, two figures that mean something. */
export function realTimeFactor(generationMs: number | null, audioSeconds: number): string {
  if (generationMs === null) return UNKNOWN;
  if (audioSeconds <= 0) return '–';
  return ratio(generationMs / (audioSeconds * 1000));
}

const ratio = (value: number): string => (value < 0.1 ? value.toFixed(3) : value.toFixed(2));

/** A measure in its unit: `312 ms`, `3`, `0.034`, `15.2 chars/s`, `64.1 kB/s`. */
export function measured(unit: MeasureUnit, value: number | null): string {
  if (value === null) return UNKNOWN;
  switch (unit) {
    case 'ms':
      return milliseconds(value);
    case 'times':
      return count(value);
    case 'ratio':
      return ratio(value);
    case 'characters/s':
      return `${value.toFixed(1)} chars/s`;
    case 'bytes/s':
      return `${bytes(Math.round(value))}/s`;
  }
}

/** `58 to 1851 ms`, with the unit twice only where it differs, and `58 ms` where there is no range. */
export function measuredRange(unit: MeasureUnit, least: number, most: number): string {
  const [low, high] = [measured(unit, least), measured(unit, most)];
  if (low === high) return high;
  const at = high.indexOf(' ');
  const suffix = at < 0 ? '' : high.slice(at);
  return `${suffix && low.endsWith(suffix) ? low.slice(0, -suffix.length) : low} to ${high}`;
}

/**
 * Rounds parts to whole numbers so that they add up to the rounded whole: what rounding takes away goes to the parts
 * that lost most.
 */
export function roundedParts(parts: readonly number[]): number[] {
  const whole = Math.round(parts.reduce((sum, part) => sum + part, 0));
  const rounded = parts.map(Math.floor);
  const missing = whole - rounded.reduce((sum, part) => sum + part, 0);
  const byLoss = parts
    .map((part, at) => ({ at, loss: part - Math.floor(part) }))
    .sort((a, b) => b.loss - a.loss || a.at - b.at);
  for (const { at } of byLoss.slice(0, missing)) rounded[at] = (rounded[at] ?? 0) + 1;
  return rounded;
}
