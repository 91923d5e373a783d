import type { LintMoment } from '../../core/rule.ts';
import { Check, type Reporter } from '../../lint/check.ts';
import { agrees } from '../../lint/payload.ts';
import type { TotalsFields } from '../wire/decode.ts';
import type { KugelUsage } from '../wire/server-frames.ts';
import { audioFormatOf, DEFAULT_MODEL } from '../wire/settings.ts';
import type { KugelRuleId } from './rules.ts';
import { type EndFields, inSeconds, type SpokenTurn, type TurnExpectation } from './speech.ts';

/** Settings that apply to a turn from its beginning. */
export interface TurnSettings {
  /** Null where they are unknown. */
  expected: TurnExpectation | null;
  autoMode: boolean;
}

/** The settings of a turn on a connection with unknown settings. */
export const UNKNOWN_SETTINGS: TurnSettings = { expected: null, autoMode: false };

/**
 * The settings of a turn that begins under these settings of the connection.
 * @param areKnown false once the server has refused a message, which may have been the last to set them
 */
export const turnSettings = (
  settings: Parameters<typeof audioFormatOf>[0] & {
    word_timestamps?: boolean;
    model_id?: string;
    auto_mode?: boolean;
  },
  areKnown: boolean,
): TurnSettings =>
  areKnown
    ? {
        expected: {
          format: audioFormatOf(settings),
          words: settings.word_timestamps === true,
          modelId: settings.model_id ?? DEFAULT_MODEL,
        },
        autoMode: settings.auto_mode === true,
      }
    : UNKNOWN_SETTINGS;

const TOTALS = ['total_audio_seconds', 'total_text_chunks', 'total_audio_chunks'] as const;

/** Whether the totals of a turn report speech. */
export const reportsSpeech = ({
  total_audio_seconds: seconds = 0,
  total_text_chunks: chunks = 0,
}: TotalsFields): boolean => seconds > 0 || chunks > 0;

/** A turn for the rules, from its first text to its end. */
export class CheckedTurn extends Check<KugelRuleId> {
  readonly began: LintMoment;
  /** A flush without text. The server answers it with an empty turn (kugel-turn-10), or not at all. */
  readonly isEmpty: boolean;
  readonly autoMode: boolean;
  /** The frame that ended it; null while it is open. */
  ended: LintMoment | null = null;
  /** The cancel that abandoned it. */
  cancel: number | null = null;
  lastText: LintMoment;
  /** Characters as UTF-16 units and as code points: the documentation does not say which ones count. */
  units = 0;
  points = 0;
  speech: SpokenTurn;
  final: { at: LintMoment; frame: TotalsFields } | null = null;

  constructor(speech: SpokenTurn, began: LintMoment, autoMode: boolean, isEmpty: boolean) {
    super(speech.world, speech.context);
    this.speech = speech;
    this.began = began;
    this.lastText = began;
    this.autoMode = autoMode;
    this.isEmpty = isEmpty;
  }

  /** Whether the server owes speech or an end for it. */
  get isOwed(): boolean {
    return this.ended !== null && !this.isEmpty && this.cancel === null;
  }

  /** Compares the totals of its last end with those of its final. */
  compareTotals(frame: TotalsFields): void {
    for (const field of TOTALS) {
      const [total, before] = [frame[field], this.final?.frame[field]];
      if (total === undefined || before === undefined || total === before) continue;
      const details = { field, related: this.final?.at };
      this.report('totals-differ', `expected ${before}, as final has it, got ${total}`, details);
    }
  }

  /** @param isSure whether the turn of the bill is certain */
  checkBill(frame: EndFields, isSure: boolean, prices: PriceBook): void {
    const { usage, total_audio_seconds: total = inSeconds(frame.dur_ms) } = frame;
    if (!usage) {
      if (this.speech.seconds > 0) reportMissingBill(this);
      return;
    }
    checkUsage(usage, this.speech.expected?.modelId ?? null, prices, this);
    const { audio_seconds: seconds, characters } = usage;
    // A wrong total is reported by itself, and this bill agrees with it.
    if (typeof seconds === 'number' && (total === undefined || !agrees(seconds, total))) {
      this.speech.checkSeconds('usage-seconds', 'usage.audio_seconds', seconds);
    }
    if (typeof characters !== 'number' || !isSure || this.isEmpty) return;
    if (characters >= this.points && characters <= this.units) return;
    const details = { field: 'usage.characters', related: this.began };
    this.report('usage-characters', `expected ${this.units}, as sent, got ${characters}`, details);
  }
}

/** Documented cents a second (kugel-bill-6, kugel-bill-7): the samples, `kugel-3`, `kugel-2-turbo`. */
const LISTED_CENTS = [0.09, 7 / 60, 3.5 / 60];
/** Costs are rounded to hundredths of a cent, seconds to thousandths. */
const COST_STEP = 0.005;
const SECONDS_STEP = 0.0005;
/** The cost of less speech may round to nothing. */
const FREE_SECONDS = 1;
/** Limits the models with a known price; nobody uses more. */
const MAX_MODELS = 32;

export const reportMissingBill = (check: Reporter<KugelRuleId>): void =>
  check.report('usage-missing', 'expected the bill of what was spoken, got nothing', 'usage');

/** Rules of any bill. @param modelId the requested one; null for an unknown one */
export function checkUsage(
  usage: KugelUsage,
  modelId: string | null,
  prices: PriceBook,
  check: Reporter<KugelRuleId>,
): void {
  const cost = 'usage.cost_cents';
  const { cost_cents: cents, audio_seconds: seconds, currency, cost_unavailable: unavailable } = usage;
  if (typeof cents !== 'number') {
    if (unavailable !== true) {
      const message = 'expected true, because cost_cents is missing, got nothing';
      check.report('cost-unexplained', message, 'usage.cost_unavailable');
    }
  } else if (unavailable === true) {
    check.report('cost-unexplained', `expected null, because cost_unavailable is true, got ${cents}`, cost);
  } else if (cents === 0 && typeof seconds === 'number' && seconds >= FREE_SECONDS) {
    check.report('cost-silent-zero', `expected the charge of ${seconds} s, or null, got 0`, cost);
  } else {
    if (currency === undefined || currency === null)
      check.report('currency-missing', 'expected "eur" with a cost, got nothing', 'usage.currency');
    if (typeof seconds === 'number') prices.check(cents, seconds, usage.model_id ?? '', check);
  }
  if (modelId !== null && typeof usage.model_id === 'string' && usage.model_id !== modelId)
    check.report('usage-model', `expected ${modelId}, got ${usage.model_id}`, 'usage.model_id');
}

/** The price of a second by model, as far as the bills of all connections of a session show it. */
export class PriceBook {
  readonly #prices = new Map<string, { low: number; high: number; at: LintMoment }>();

  check(cost: number, seconds: number, model: string, check: Reporter<KugelRuleId>): void {
    // The cost of so little speech is too coarse to show a price.
    if (seconds < FREE_SECONDS / 10) return;
    const low = Math.max(0, cost - COST_STEP) / (seconds + SECONDS_STEP) - 1e-9;
    const high = (cost + COST_STEP) / (seconds - SECONDS_STEP) + 1e-9;
    const perSecond = (cost / seconds).toFixed(4);
    const field = 'usage.cost_cents';
    const known = this.#prices.get(model);
    if (!known) {
      if (this.#prices.size < MAX_MODELS) this.#prices.set(model, { low, high, at: check.now });
      if (LISTED_CENTS.some((price) => price >= low && price <= high)) return;
      const listed = LISTED_CENTS.map((price) => price.toFixed(3)).join(', ');
      check.report('price-unlisted', `expected ${listed} cents a second, got ${perSecond}`, field);
    } else if (low > known.high || high < known.low) {
      const message = `expected ${known.low.toFixed(4)} to ${known.high.toFixed(4)} cents a second as before, got ${perSecond}`;
      check.report('price-varies', message, { field, related: known.at });
    } else {
      known.low = Math.max(known.low, low);
      known.high = Math.min(known.high, high);
    }
  }
}
