import { type PercentileEstimate, valuesNeeded } from '#lib/statistics/percentile-interval.ts';
import { measureRangeText, measureText } from '#session/measures/measure-text.ts';
import { type Comparison, LEVEL, type Series } from './analysis.ts';
import type { RunMeasure } from './measures.ts';

/** Formats `296 to 318 ms`, or `over 296 ms` where too few runs bound the percentile on one side only. */
export function intervalWords({ low, high }: PercentileEstimate, measure: RunMeasure): string {
  if (low !== null && high !== null) return measureRangeText(measure, low, high);
  if (low !== null) return `over ${measureText(measure, low)}`;
  if (high !== null) return `under ${measureText(measure, high)}`;
  return 'too few runs';
}

/** Explains open intervals; empty if there are none. */
export function openIntervalNote(shares: readonly number[]): string {
  if (shares.length === 0) return '';
  const names = shares.map((share) => `p${Math.round(share * 100)}`);
  const runs = shares.map((share) => String(valuesNeeded(share)));
  return `To bound ${listed(names)} on both sides takes ${listed(runs)} runs.`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Formats `p = 0.031`, `p = 0.45`, or `p < 0.001`. */
export const pWords = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`);

export interface Verdict {
  kind: 'different' | 'noise' | 'unknown';
  /** For readers without statistics. */
  headline: string;
  detail: string;
}

export const sentenceOf = ({ headline, detail }: Verdict): string => `${headline} ${detail}`.trim();

export function verdictOf(comparison: Comparison, measure: RunMeasure): Verdict {
  const { base, other, shift, correctedP, comparisons, hasCommonText } = comparison;
  const { estimate, low, high, pValue } = shift;
  const asides = [...earlierWords(base), ...failureWords(base, other)];
  if (!hasCommonText || Number.isNaN(estimate)) {
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
  const size = measureText(measure, Math.abs(estimate));
  if (low === null || high === null) {
    const counts = `${base.values.length} of ${base.label} and ${other.values.length} of ${other.label}`;
    return {
      kind: 'unknown',
      headline: `Too few runs to compare ${other.label} with ${base.label}.`,
      detail: [
        `With ${counts} even the largest difference could be chance.`,
        `So far ${other.label} ${difference(estimate, measure)} by ${size}.`,
        ...asides,
      ].join(' '),
    };
  }
  const several = comparisons > 1 ? ` after correction for ${comparisons} comparisons (Holm)` : '';
  const chance = `${pWords(correctedP)}${several}`;
  if (correctedP <= LEVEL) {
    const [from, to] = estimate < 0 ? [-high, -low] : [low, high];
    return {
      kind: 'different',
      headline: `${other.label} ${difference(estimate, measure)} than ${base.label} by ${size} (95 % interval ${measureRangeText(measure, from, to)}).`,
      detail: [`More than noise: ${chance}.`, ...asides].join(' '),
    };
  }
  const most = Math.max(Math.abs(low), Math.abs(high));
  const alone =
    pValue <= LEVEL
      ? [
          `Taken alone it would look like one (${pWords(pValue)}), but among ${comparisons} comparisons one such is to be expected.`,
        ]
      : [];
  return {
    kind: 'noise',
    headline: `No difference beyond noise between ${other.label} and ${base.label}.`,
    detail: [
      `${measureText(measure, estimate)} (95 % interval ${measureRangeText(measure, low, high)}); ${chance}.`,
      `If there is one, it is most likely below ${measureText(measure, most)}.`,
      ...alone,
      ...asides,
    ].join(' '),
  };
}

/** Returns `is faster`, or `has a lower …` where faster makes no sense. */
function difference(estimate: number, { title, unit, better }: RunMeasure): string {
  if (unit === 'ms' && better === 'lower') return estimate < 0 ? 'is faster' : 'is slower';
  return `has a ${estimate < 0 ? 'lower' : 'higher'} ${title.charAt(0).toLowerCase()}${title.slice(1)}`;
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
