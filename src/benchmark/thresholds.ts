import { percentile } from '#lib/statistics/percentiles.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { seriesOf } from './analysis.ts';
import { runMeasure } from './measures.ts';
import type { Threshold } from './plan.ts';
import type { Results } from './results.ts';

/** One limit of the plan, checked for one series. */
export interface ThresholdResult {
  kept: boolean;
  /** Such as `waitMs p95 of Base, warm: 312 ms, at most 400 ms`. */
  sentence: string;
}

/** Checks every limit for every series that it applies to. A series without values breaks it. */
export const thresholdResults = (results: Results): ThresholdResult[] =>
  results.plan.thresholds.flatMap((threshold) => {
    const measure = runMeasure(threshold.measure);
    return seriesOf(results, measure.id)
      .filter(
        ({ label, connection }) =>
          (threshold.configuration ?? label) === label && (threshold.connection ?? connection) === connection,
      )
      .map(({ label, connection, values }): ThresholdResult => {
        const what = `${measure.id} p${threshold.percentile} of ${label}, ${connection}`;
        if (values.length === 0) return { kept: false, sentence: `${what}: no run has it` };
        const value = percentile(
          values.map((each) => each.value),
          threshold.percentile / 100,
        );
        return {
          kept: isKept(value, threshold),
          sentence: `${what}: ${measureText(measure, value)}, ${limitWords(threshold, (limit) => measureText(measure, limit))}`,
        };
      });
  });

const isKept = (value: number, { min, max }: Threshold): boolean =>
  (max === undefined || value <= max) && (min === undefined || value >= min);

const limitWords = ({ min, max }: Threshold, words: (limit: number) => string): string =>
  [
    ...(min === undefined ? [] : [`at least ${words(min)}`]),
    ...(max === undefined ? [] : [`at most ${words(max)}`]),
  ].join(' and ');
