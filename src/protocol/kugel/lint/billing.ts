import type { LintMoment } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import type { Findings } from '../../lint/findings.ts';
import type * as frames from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';

type Usage = z.output<typeof frames.usageObject>;

/** Cents a second that are written somewhere (`facts 1.9`): the documented samples, `kugel-3`, `kugel-2-turbo`. */
const LISTED_CENTS = [0.09, 7 / 60, 3.5 / 60];
/** Costs are rounded to hundredths of a cent, seconds to thousandths. */
const COST_STEP = 0.005;
const SECONDS_STEP = 0.0005;
/** Less speech may come to nothing by rounding. */
const FREE_SECONDS = 1;
/** Models of which a price is kept; nobody uses more. */
const MAX_MODELS = 32;

/** Rules of bills. What a second costs is compared over all connections of a session. */
export class Billing {
  readonly #findings: Findings<KugelRuleId>;
  /** What a second of each model may cost, by all that was seen of it. */
  readonly #prices: PriceBook;

  constructor(findings: Findings<KugelRuleId>, prices: PriceBook) {
    this.#findings = findings;
    this.#prices = prices;
  }

  missing(at: LintMoment, context: string | null): void {
    this.#report(
      'usage-missing',
      at,
      context,
      'usage',
      'usage: expected the bill of what was spoken, got nothing',
    );
  }

  /** @param modelId the one that was asked for; null: unknown */
  check(usage: Usage, at: LintMoment, context: string | null, modelId: string | null): void {
    const { cost_cents: cost, audio_seconds: seconds, currency, cost_unavailable: unavailable } = usage;
    if (typeof cost !== 'number') {
      if (unavailable !== true) {
        this.#report(
          'cost-unexplained',
          at,
          context,
          'usage.cost_unavailable',
          'usage.cost_unavailable: expected true, because cost_cents is not told, got nothing',
        );
      }
    } else if (unavailable === true) {
      this.#report(
        'cost-unexplained',
        at,
        context,
        'usage.cost_cents',
        `usage.cost_cents: expected null, because cost_unavailable is true, got ${cost}`,
      );
    } else if (cost === 0 && typeof seconds === 'number' && seconds >= FREE_SECONDS) {
      this.#report(
        'cost-silent-zero',
        at,
        context,
        'usage.cost_cents',
        `usage.cost_cents: expected the charge of ${seconds} s, or null, got 0`,
      );
    } else {
      if (currency === undefined || currency === null) {
        this.#report(
          'currency-missing',
          at,
          context,
          'usage.currency',
          'usage.currency: expected "eur" with a cost, got nothing',
        );
      }
      if (typeof seconds === 'number') this.#checkPrice(cost, seconds, usage.model_id ?? '', at, context);
    }
    if (modelId !== null && typeof usage.model_id === 'string' && usage.model_id !== modelId) {
      this.#report(
        'usage-model',
        at,
        context,
        'usage.model_id',
        `usage.model_id: expected ${modelId}, got ${usage.model_id}`,
      );
    }
  }

  #checkPrice(cost: number, seconds: number, model: string, at: LintMoment, context: string | null): void {
    // So little speech says nothing about the price.
    if (seconds < FREE_SECONDS / 10) return;
    const low = Math.max(0, cost - COST_STEP) / (seconds + SECONDS_STEP) - 1e-9;
    const high = (cost + COST_STEP) / (seconds - SECONDS_STEP) + 1e-9;
    const perSecond = (cost / seconds).toFixed(4);
    const known = this.#prices.get(model);
    if (known && (low > known.high || high < known.low)) {
      this.#report(
        'price-varies',
        at,
        context,
        'usage.cost_cents',
        `usage.cost_cents: expected ${known.low.toFixed(4)} to ${known.high.toFixed(4)} cents a second as before, got ${perSecond}`,
        known.at.index,
      );
      return;
    }
    this.#prices.narrow(model, low, high, at);
    if (!known && LISTED_CENTS.every((price) => price < low || price > high)) {
      this.#report(
        'price-unlisted',
        at,
        context,
        'usage.cost_cents',
        `usage.cost_cents: expected ${LISTED_CENTS.map((price) => price.toFixed(3)).join(', ')} cents a second, got ${perSecond}`,
      );
    }
  }

  #report(
    id: KugelRuleId,
    at: LintMoment,
    context: string | null,
    path: string,
    message: string,
    related: number | null = null,
  ): void {
    this.#findings.report(id, at, message, { context, path, related });
  }
}

interface Price {
  low: number;
  high: number;
  at: LintMoment;
}

/** What a second of each model costs, as far as bills tell it. */
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
