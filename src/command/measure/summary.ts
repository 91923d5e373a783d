import { comparisonsOf, percentilesOf, type Series, SHARES, seriesOf } from '#benchmark/analysis.ts';
import { type RunMeasure, runMeasure } from '#benchmark/measures.ts';
import type { Results } from '#benchmark/results.ts';
import { thresholdResults } from '#benchmark/thresholds.ts';
import { intervalWords, sentenceOf, verdictOf } from '#benchmark/wording.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { printTable } from './print-table.ts';

/** Prints what was found: percentiles, differences, limits. */
export function printSummary(results: Results): void {
  const { plan, ended, endedWhy } = results;
  const measure = runMeasure(plan.measure);
  const series = seriesOf(results, measure.id);
  printTable(
    `${plan.name}: ${measure.title}`,
    measure.definition,
    series.map((each) => rowOf(each, measure)),
  );
  const verdicts = comparisonsOf(series, 0).map(
    (comparison) => `${comparison.other.connection}: ${sentenceOf(verdictOf(comparison, measure))}`,
  );
  const limits = thresholdResults(results).map(
    ({ kept, sentence }) => `${kept ? 'kept' : 'BROKEN'}: ${sentence}`,
  );
  const early = ended === 'finished' ? [] : [`It ended before its time (${ended}). ${endedWhy ?? ''}`];
  process.stdout.write(`\n${[...early, ...verdicts, ...limits].map((line) => `${line}\n`).join('')}`);
}

function rowOf(series: Series, measure: RunMeasure): Record<string, string> {
  const percentiles = percentilesOf(series);
  const cells = SHARES.map((share, at) => {
    const percentile = percentiles[at];
    const words =
      series.values.length === 0 || !percentile
        ? series.unreportedBy === null
          ? '–'
          : 'not reported'
        : `${measureText(measure, percentile.value)} (${intervalWords(percentile, measure)})`;
    return [`p${Math.round(share * 100)} (95 %)`, words] as const;
  });
  return {
    configuration: `${series.label}, ${series.connection}`,
    runs: String(series.values.length),
    failed: String(series.failures.length),
    ...Object.fromEntries(cells),
  };
}

/** Why the results are not good enough; null where they are. A difference alone is no failure. */
export function resultsFailure(results: Results): string | null {
  if (results.runs.every(({ failure }) => failure !== null)) {
    const reason = results.runs.at(-1)?.failure ?? results.endedWhy ?? 'none was made';
    return `No run succeeded: ${reason}`;
  }
  const broken = thresholdResults(results).filter(({ kept }) => !kept);
  return broken.length === 0 ? null : `Broken limits: ${broken.length}.`;
}
