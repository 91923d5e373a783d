import type { Rates, RatesOf } from '#benchmark/estimate.ts';
import type { PlanConfiguration } from '#benchmark/plan.ts';
import type { BenchmarkRun, Results } from '#benchmark/results.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';

/** Less audio gives no usable price, because charges are rounded to a hundredth of a cent. */
const MIN_PRICED_SECONDS = 2;

/** Measures the rates in earlier results on the same endpoint, server and settings, else the vendor's published price. */
export const ratesFrom =
  (earlier: readonly Results[]): RatesOf =>
  (configuration) => {
    const { publishedPrice, plans } = protocolOf(endpointOf(configuration.endpoint));
    const runs = earlier.flatMap((results) => runsOf(results, configuration));
    const seconds = runs.reduce((sum, run) => sum + run.audioSeconds, 0);
    const characters = runs.reduce((sum, run) => sum + run.characters, 0);
    const published = publishedPrice({ ...configuration.speaker, ...configuration.settings });
    return {
      charactersPerSecond: seconds > 0 ? characters / seconds : null,
      price: measuredPrice(runs) ?? (published && { ...published, basis: 'published' }),
      byPlan: plans.length > 0,
    };
  };

function runsOf({ plan, runs }: Results, wanted: PlanConfiguration): BenchmarkRun[] {
  const same = plan.configurations.map((configuration) => speechOf(configuration) === speechOf(wanted));
  return runs.filter((run) => run.failure === null && same[run.configuration] === true);
}

/** Identifies the parts of a configuration that price and pace depend on. */
const speechOf = ({ endpoint, server, settings, speaker }: PlanConfiguration): string =>
  JSON.stringify([endpoint, server, settings, speaker]);

/** In the currency of the first charge, since other currencies cannot be added to it. */
function measuredPrice(runs: readonly BenchmarkRun[]): Rates['price'] {
  const currency = runs.find((run) => run.costCents !== null && run.currency !== null)?.currency ?? null;
  const priced = runs.filter((run) => run.costCents !== null && run.currency === currency);
  const seconds = priced.reduce((sum, { audioSeconds }) => sum + audioSeconds, 0);
  if (currency === null || seconds < MIN_PRICED_SECONDS) return null;
  const cents = priced.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0);
  return { centsPerSecond: cents / seconds, currency, basis: 'measured' };
}
