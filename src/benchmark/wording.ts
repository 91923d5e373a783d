import { type IntervalEstimate, valuesNeeded } from '#lib/statistics/bootstrap.ts';
import { measureRangeText, measureText } from '#session/measures/measure-text.ts';
import type { Comparison, Series } from './analysis.ts';
import type { RunMeasure } from './measures.ts';

/** Formats `296 to 318 ms`. */
export const intervalWords = ({ interval }: IntervalEstimate, measure: RunMeasure): string =>
  interval ? measureRangeText(measure, interval.low, interval.high) : 'too few runs';

/** Says how many runs these percentiles take for an interval; empty for none. */
export function openIntervalNote(shares: readonly number[]): string {
  if (shares.length === 0) return '';
  const names = shares.map((share) => `p${Math.round(share * 100)}`);
  return `An interval of ${listed(names)} takes ${listed(shares.map((share) => String(valuesNeeded(share))))} runs.`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

export interface Verdict {
  kind: 'different' | 'noise' | 'unknown';
  /** For readers without statistics. */
  headline: string;
  detail: string;
}

export const sentenceOf = ({ headline, detail }: Verdict): string => `${headline} ${detail}`.trim();

export function verdictOf({ base, other, difference }: Comparison, measure: RunMeasure): Verdict {
  const asides = [...earlierWords(base), ...failureWords(base, other)];
  if (!difference) {
    const empty = [base, other].filter(({ values }) => values.length === 0);
    const silent = empty.flatMap((series) => series.unreportedBy ?? []);
    const missing = empty.filter((series) => series.unreportedBy === null).map(({ label }) => label);
    const why = [
      ...(silent.length > 0
        ? [`${measure.title} is never reported by ${listed([...new Set(silent)])}.`]
        : []),
      ...(missing.length > 0 ? [`${measure.title} is known of no run of ${listed(missing)}.`] : []),
      ...(empty.length === 0 ? ['They have no text in common.'] : []),
    ];
    return { kind: 'unknown', headline: 'Nothing to compare.', detail: [...why, ...asides].join(' ') };
  }
  const { value, interval } = difference;
  const size = measureText(measure, Math.abs(value));
  if (!interval) {
    return {
      kind: 'unknown',
      headline: `Too few runs to compare ${other.label} with ${base.label}.`,
      detail: [
        `An interval takes ${valuesNeeded(0.5)} runs of a text on each side.`,
        ...(value === 0 ? [] : [`So far ${other.label} ${differenceWords(value, measure)} by ${size}.`]),
        ...asides,
      ].join(' '),
    };
  }
  const { low, high } = interval;
  if (low > 0 || high < 0) {
    const [from, to] = high < 0 ? [-high, -low] : [low, high];
    return {
      kind: 'different',
      headline: `${other.label} ${differenceWords(value, measure)} than ${base.label} by ${size} (95 % interval ${measureRangeText(measure, from, to)}).`,
      detail: asides.join(' '),
    };
  }
  return {
    kind: 'noise',
    headline: `No difference beyond noise between ${other.label} and ${base.label}.`,
    detail: [
      `${measureText(measure, value)} (95 % interval ${measureRangeText(measure, low, high)}).`,
      `If there is one, it is most likely below ${measureText(measure, Math.max(-low, high))}.`,
      ...asides,
    ].join(' '),
  };
}

/** Returns `is faster`, or `has a lower …` where faster makes no sense. */
function differenceWords(value: number, { title, unit, better }: RunMeasure): string {
  if (unit === 'ms' && better === 'lower') return value < 0 ? 'is faster' : 'is slower';
  return `has a ${value < 0 ? 'lower' : 'higher'} ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
}

const earlierWords = ({ isEarlier }: Series): string[] =>
  isEarlier
    ? ['The runs were not made side by side, so that every change in between is part of the difference.']
    : [];

function failureWords(...series: readonly Series[]): string[] {
  const failed = series.filter(({ failures }) => failures.length > 0);
  if (failed.length === 0) return [];
  const words = failed.map(
    ({ label, failures, values, unknown }) =>
      `${failures.length} of ${failures.length + values.length + unknown} runs of ${label} failed`,
  );
  return [`${words.join(', and ')}; they are in no percentile.`];
}
