import { type IntervalEstimate, medianDifference, percentileEstimates } from '#lib/statistics/bootstrap.ts';
import { endpointOf } from '#protocol/registry.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import type { RunMeasureId } from './measures.ts';
import { connectionKinds, type RunConnection } from './plan.ts';
import type { BenchmarkRun, Results } from './results.ts';

export const SHARES = [0.5, 0.9, 0.95, 0.99] as const;

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

/** Returns `2026-11-21` in UTC, so that a result file reads the same everywhere. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns one for each of {@link SHARES}. */
export const percentilesOf = ({ values }: Series): IntervalEstimate[] =>
  percentileEstimates(
    values.map(({ value }) => value),
    SHARES,
  );

export interface Comparison {
  base: Series;
  other: Series;
  /** Of the medians, `other` less `base`. Null if there is no text that both have spoken. */
  difference: IntervalEstimate | null;
}

/** Compares each configuration with the base, and with an earlier day. Only runs of the same text are compared. */
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
  return [...pairs, ...then].map(({ base, other }) => {
    const strata = strataOf(base, other);
    return { base, other, difference: strata.length > 0 ? medianDifference(strata) : null };
  });
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
