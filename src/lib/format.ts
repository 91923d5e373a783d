/** Figures as text with their unit. An unknown figure is `unknown`, never 0. */

export const UNKNOWN = 'unknown';
const NOT_PLAUSIBLE = 'not plausible';

/** Largest figures that are shown. Servers report many of the figures, and may report anything. */
const MAX_SECONDS = 3_600_000;
const MAX_COUNT = 1e12;
const MAX_CENTS = 1e8;
const MAX_BYTES = 1e15;

/** Formats a figure; `not plausible` beyond the limit and for what is no number. */
export const plausibly = (value: number, most: number, text: (value: number) => string): string =>
  Math.abs(value) <= most ? text(value) : NOT_PLAUSIBLE;

/** One instance for all figures, because constructing a formatter costs more than using it. */
const grouped = new Intl.NumberFormat('en');

/** `312 ms`; below ten `3.4 ms`, from ten seconds on `12.4 s`. */
export const milliseconds = (ms: number | null): string =>
  ms === null
    ? UNKNOWN
    : plausibly(ms, MAX_SECONDS * 1000, (plausible) =>
        withMinus(plausible, (size) => {
          if (Math.round(size) >= 10_000) return `${(size / 1000).toFixed(1)} s`;
          return `${size < 9.95 ? Math.round(size * 10) / 10 : Math.round(size)} ms`;
        }),
      );

/** Formats the magnitude and puts a true minus (U+2212) before it, unless it rounds to 0. */
export function withMinus(value: number, sizeText: (size: number) => string): string {
  const text = sizeText(Math.abs(value));
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

/** `84 µs`; from a millisecond on `1.2 ms`. */
export const microseconds = (ms: number): string =>
  ms < 1 ? `${Math.round(ms * 1000)} µs` : `${ms.toFixed(1)} ms`;

/** `5.40 s`; from ten minutes on `12:05 min`. */
export const seconds = (s: number | null): string =>
  s === null
    ? UNKNOWN
    : plausibly(s, MAX_SECONDS, (plausible) => {
        if (plausible < 600) return `${plausible.toFixed(2)} s`;
        const whole = Math.round(plausible);
        return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`;
      });

/** `5.40 s`, or `unknown length`. */
export const audioLength = (ms: number | null): string =>
  ms === null ? 'unknown length' : seconds(ms / 1000);

/** `40 s`, `3 min`, `2 h 10 min`, for durations that are estimates. */
export function roughDuration(ms: number): string {
  if (ms < 90_000) return `${Math.max(1, Math.round(ms / 1000))} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1,240`. */
export const count = (value: number | null): string =>
  value === null ? UNKNOWN : plausibly(value, MAX_COUNT, (plausible) => grouped.format(plausible));

/** `141 characters`, `1 turn`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

const SYMBOLS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£' };

/** Hundredths of the currency unit as `€0.0049`, `€0.49`, `€12.30`: four decimals below a tenth of the unit. */
export const money = (cents: number | null, currency: string | null): string =>
  cents === null
    ? UNKNOWN
    : plausibly(cents, MAX_CENTS, (plausible) => {
        const amount = plausible / 100;
        const digits = plausible !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
        const figure = amount.toFixed(digits);
        if (currency === null) return figure;
        const symbol = SYMBOLS[currency.toUpperCase()];
        return symbol ? `${symbol}${figure}` : `${figure} ${currency}`;
      });

/** `4.2 kB`, `10.7 GB`; decimal units. */
export const bytes = (value: number): string =>
  plausibly(value, MAX_BYTES, (plausible) => {
    if (plausible < 1000) return `${plausible} B`;
    let size = plausible / 1000;
    let at = 0;
    // A size that would round to 1000.0 takes the next unit.
    for (; size >= 999.95 && at < BYTE_UNITS.length - 1; at += 1) size /= 1000;
    return `${size.toFixed(1)} ${BYTE_UNITS[at]}`;
  });

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** Rounds parts to whole numbers that add up to the rounded whole: the parts with the largest remainders round up. */
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

/** Cuts a text to its first characters. */
export const excerptOf = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;

/** Returns a copy to keep. A slice would keep the whole text in memory, and a clone does not. */
export const ownText = (text: string): string => structuredClone(text);
