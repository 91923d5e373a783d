import { holm } from '#lib/statistics/holm.ts';
import { type PercentileEstimate, percentileEstimate } from '#lib/statistics/percentile-interval.ts';
import { type Shift, shiftBetween } from '#lib/statistics/shift.ts';
import { endpointOf } from '#protocol/registry.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import type { RunMeasureId } from './measures.ts';
import { connectionKinds, type RunConnection } from './plan.ts';
import type { BenchmarkRun, Results } from './results.ts';

export const SHARES = [0.5, 0.9, 0.95, 0.99] as const;
export type Share = (typeof SHARES)[number];

/** A difference with at most this p-value is more than noise. */
export const LEVEL = 0.05;

/** One measure over all runs of one configuration on one kind of connection. */
export interface Series {
  /** The configuration's name; with the day for results of an earlier day. */
  label: string;
  configuration: number;
  connection: RunConnection;
  isEarlier: boolean;
  /** In the order of the runs; without failed runs and runs with an unknown measure. */
  values: readonly { value: number; text: string; run: BenchmarkRun }[];
  failures: readonly BenchmarkRun[];
  /** Number of successful runs with an unknown measure. */
  unknown: number;
  /** The title of the endpoint, where its server never reports the measure; else null. */
  unreportedBy: string | null;
}

/** Returns the series in the order of the plan, grouped by kind of connection. */
export function seriesOf(results: Results, measure: RunMeasureId, isEarlier = false): Series[] {
  const { plan } = results;
  return connectionKinds(plan).flatMap((connection) =>
    plan.configurations.map(({ name, endpoint: endpointId }, configuration): Series => {
      const endpoint = endpointOf(endpointId);
      const runs = results.runs.filter(
        (run) => run.configuration === configuration && run.connection === connection,
      );
      const good = runs.filter(({ failure }) => failure === null);
      const values = good.flatMap((run) => {
        const value = run.measures[measure] ?? null;
        return value === null ? [] : [{ value, text: plan.texts[run.text]?.text ?? '', run }];
      });
      return {
        label: isEarlier ? `${name}, ${dayOf(results.startedAtMs)}` : name,
        configuration,
        connection,
        isEarlier,
        values,
        failures: runs.filter(({ failure }) => failure !== null),
        unknown: good.length - values.length,
        unreportedBy:
          values.length === 0 && unreportedBy(endpoint.id).measures.has(measure) ? endpoint.title : null,
      };
    }),
  );
}

/** Returns `2026-11-21` in UTC, so that a report reads the same everywhere. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const percentilesOf = (series: Series): Readonly<Record<Share, PercentileEstimate>> => {
  const values = series.values.map(({ value }) => value);
  const of = (share: Share): PercentileEstimate => percentileEstimate(values, share);
  return { 0.5: of(0.5), 0.9: of(0.9), 0.95: of(0.95), 0.99: of(0.99) };
};

export interface Comparison {
  base: Series;
  other: Series;
  shift: Shift;
  /** The p-value after Holm's correction for all comparisons. */
  correctedP: number;
  /** Number of comparisons in the correction. */
  comparisons: number;
  /** False if there is no text that both have spoken, so that nothing is compared. */
  hasCommonText: boolean;
}

/** Compares each configuration with the base, and with an earlier day. All comparisons are one family for Holm. */
export function comparisonsOf(
  now: readonly Series[],
  baseConfiguration: number,
  earlier: readonly Series[] = [],
): Comparison[] {
  const pairs = now.flatMap((other) => {
    const base = now.find(
      (series) => series.configuration === baseConfiguration && series.connection === other.connection,
    );
    return base && base !== other ? [{ base, other }] : [];
  });
  const then = now.flatMap((other) => {
    const base = earlier.find(
      (series) => nameOf(series) === nameOf(other) && series.connection === other.connection,
    );
    return base ? [{ base, other }] : [];
  });
  const compared = [...pairs, ...then].map(({ base, other }) => {
    const strata = strataOf(base, other);
    return { base, other, shift: shiftBetween(strata), hasCommonText: strata.length > 0 };
  });
  const corrected = holm(compared.map(({ shift }) => shift.pValue));
  return compared.map((comparison, at) => ({
    ...comparison,
    correctedP: corrected[at] ?? 1,
    comparisons: compared.length,
  }));
}

/** The configuration's name, without the day. */
const nameOf = ({ label, isEarlier }: Series): string =>
  isEarlier ? label.slice(0, label.lastIndexOf(', ')) : label;

function strataOf(base: Series, other: Series): { a: number[]; b: number[] }[] {
  const texts = new Set(base.values.map(({ text }) => text));
  return [...texts].flatMap((text) => {
    const of = ({ values }: Series): number[] =>
      values.flatMap((each) => (each.text === text ? [each.value] : []));
    const b = of(other);
    return b.length > 0 ? [{ a: of(base), b }] : [];
  });
}
