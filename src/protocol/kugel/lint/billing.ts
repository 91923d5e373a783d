import type { LintMoment } from '../../core/rule.ts';
import type { Details, Findings } from '../../lint/findings.ts';
import type { KugelUsage } from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';

/** Documented cents a second (`facts 1.9`): the samples, `kugel-3`, `kugel-2-turbo`. */
const LISTED_CENTS = [0.09, 7 / 60, 3.5 / 60];
/** Costs are rounded to hundredths of a cent, seconds to thousandths. */
const COST_STEP = 0.005;
const SECONDS_STEP = 0.0005;
/** The cost of less speech may round to nothing. */
const FREE_SECONDS = 1;
/** Limits the models with a known price; nobody uses more. */
const MAX_MODELS = 32;

/** Rules of bills. The price of a second is compared over all connections of a session. */
export class Billing {
  readonly #findings: Findings<KugelRuleId>;
  /** The possible price of a second by model, from all bills so far. */
  readonly #prices: PriceBook;

  constructor(findings: Findings<KugelRuleId>, prices: PriceBook) {
    this.#findings = findings;
    this.#prices = prices;
  }

  missing(at: LintMoment, context: string | null): void {
    const message = 'expected the bill of what was spoken, got nothing';
    this.#findings.report('usage-missing', at, message, { context, field: 'usage' });
  }

  /** @param modelId the requested one; null for an unknown one */
  check(usage: KugelUsage, at: LintMoment, context: string | null, modelId: string | null): void {
    const report = this.#findings.in(context);
    const cost = 'usage.cost_cents';
    const { cost_cents: cents, audio_seconds: seconds, currency, cost_unavailable: unavailable } = usage;
    if (typeof cents !== 'number') {
      if (unavailable !== true) {
        const message = 'expected true, because cost_cents is missing, got nothing';
        report('cost-unexplained', at, message, 'usage.cost_unavailable');
      }
    } else if (unavailable === true) {
      report('cost-unexplained', at, `expected null, because cost_unavailable is true, got ${cents}`, cost);
    } else if (cents === 0 && typeof seconds === 'number' && seconds >= FREE_SECONDS) {
      report('cost-silent-zero', at, `expected the charge of ${seconds} s, or null, got 0`, cost);
    } else {
      if (currency === undefined || currency === null) {
        report('currency-missing', at, 'expected "eur" with a cost, got nothing', 'usage.currency');
      }
      if (typeof seconds === 'number') this.#checkPrice(cents, seconds, usage.model_id ?? '', at, context);
    }
    if (modelId !== null && typeof usage.model_id === 'string' && usage.model_id !== modelId) {
      report('usage-model', at, `expected ${modelId}, got ${usage.model_id}`, 'usage.model_id');
    }
  }

  #checkPrice(cost: number, seconds: number, model: string, at: LintMoment, context: string | null): void {
    // The cost of so little speech is too coarse to show a price.
    if (seconds < FREE_SECONDS / 10) return;
    const low = Math.max(0, cost - COST_STEP) / (seconds + SECONDS_STEP) - 1e-9;
    const high = (cost + COST_STEP) / (seconds - SECONDS_STEP) + 1e-9;
    const perSecond = (cost / seconds).toFixed(4);
    const details: Details = { context, field: 'usage.cost_cents' };
    const known = this.#prices.get(model);
    if (known && (low > known.high || high < known.low)) {
      const message = `expected ${known.low.toFixed(4)} to ${known.high.toFixed(4)} cents a second as before, got ${perSecond}`;
      this.#findings.report('price-varies', at, message, { ...details, related: known.at });
      return;
    }
    this.#prices.narrow(model, low, high, at);
    if (!known && LISTED_CENTS.every((price) => price < low || price > high)) {
      const listed = LISTED_CENTS.map((price) => price.toFixed(3)).join(', ');
      const message = `expected ${listed} cents a second, got ${perSecond}`;
      this.#findings.report('price-unlisted', at, message, details);
    }
  }
}

interface Price {
  low: number;
  high: number;
  at: LintMoment;
}

/** The price of a second by model, as far as bills show it. */
export class PriceBook {
  readonly #prices = new Map<string, Price>();

  get(model: string): Price | undefined {
    return this.#prices.get(model);
  }

  narrow(model: string, low: number, high: number, at: LintMoment): void {
    const known = this.#prices.get(model);
    if (known) {
      known.low = Math.max(known.low, low);
      known.high = Math.min(known.high, high);
    } else if (this.#prices.size < MAX_MODELS) {
      this.#prices.set(model, { low, high, at });
    }
  }
}
