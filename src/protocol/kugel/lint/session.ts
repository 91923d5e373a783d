import { wordList } from '#lib/word-list.ts';
import type { LintMoment } from '../../core/rule.ts';
import { type CheckWorld, isOfVendor, isRefusingClose } from '../../lint/check.ts';
import { type Deadline, SECOND_US } from '../../lint/clock.ts';
import { ConnectionCheck } from '../../lint/linter.ts';
import { CLOSE_AFTER, type ErrorName } from '../wire/errors.ts';
import type { KugelRuleId } from './rules.ts';
import type { PriceBook, TurnSettings } from './turn.ts';
import type { TurnOwner } from './turns.ts';

/** Silence after which the vendor's clients give up. */
const CANCEL_US = 5 * SECOND_US;
const UPDATE_US = 15 * SECOND_US;
/** The limit of the vendor's own test (kugel-cancel-6). */
const SLOW_CANCEL_US = 1.5 * SECOND_US;
const MAX_PENDING = 64;

/** Errors that refuse one message and keep the connection. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorName>(
  wordList('VALIDATION_ERROR MISSING_VOICE_ID TOO_MANY_CONTEXTS'),
);

const ERROR_OF_CODE: ReadonlyMap<number, string> = new Map(
  Object.entries(CLOSE_AFTER).map(([name, code]) => [code, name]),
);

interface Cancel {
  number: number;
  context: string | null;
  at: LintMoment;
}

/** Adds to a list without an end. */
function enqueue<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MAX_PENDING) list.shift();
}

/** Rules of a connection to any Kugel endpoint: cancels, updates, errors, the close. */
export abstract class SessionCheck extends ConnectionCheck<KugelRuleId> implements TurnOwner {
  turns = 0;
  readonly prices: PriceBook;
  /** The current ones of the connection. */
  protected abstract readonly settings: { language?: unknown; normalize?: unknown };
  abstract readonly turnSettings: TurnSettings;
  /** The `close_socket` of the client. */
  protected closing: LintMoment | null = null;
  /** False once a message was refused for a reason that the linter cannot foresee. */
  protected areSettingsKnown = true;
  readonly #cancels: Cancel[] = [];
  #cancelled = 0;
  #updates: LintMoment[] = [];
  /** Further updates, which the server may have refused. */
  #doubtfulUpdates = 0;
  readonly #interrupted = this.#answer('interrupted', CANCEL_US, () => this.#cancels[0]?.at);
  readonly #updated = this.#answer('settings_updated', UPDATE_US, () => this.#updates[0]);
  /** Contexts of messages that the server must refuse. */
  readonly #refusals: (string | null)[] = [];
  #lastError: { name: string; at: LintMoment } | null = null;

  constructor(world: CheckWorld<KugelRuleId>, prices: PriceBook) {
    super(world);
    this.prices = prices;
  }

  began(): void {
    this.turns += 1;
    const { language, normalize } = this.settings;
    // Without normalisation the server detects nothing (kugel-text-3).
    if (language !== undefined || normalize === false) return;
    this.once('language-missing', 'expected a code such as en, got nothing', 'language');
  }

  /** Whether the server refuses a message because of an earlier `close_socket`, which is reported. */
  protected refusesAfterClose(isBargeIn: boolean): boolean {
    if (!this.closing || isBargeIn) return false;
    const message = 'expected no message after close_socket but a barge-in, got one';
    this.report('after-close-socket', message, { related: this.closing });
    return true;
  }

  protected foreseeRefusal(context: string | null): void {
    enqueue(this.#refusals, context);
  }

  /** @returns its number */
  protected cancelSent(context: string | null): number {
    this.#cancelled += 1;
    enqueue(this.#cancels, { number: this.#cancelled, context, at: this.now });
    this.#interrupted.start();
    return this.#cancelled;
  }

  /** @returns the cancel that it answers; null without one, after a report */
  protected cancelAnswered(context: string | null): Cancel | null {
    const same = this.#cancels.findIndex((cancel) => cancel.context === context);
    // The documentation does not say whether the answer names the context.
    const place = same < 0 && context === null ? 0 : same;
    const [answered] = place < 0 ? [] : this.#cancels.splice(place, 1);
    if (this.#cancels.length === 0) this.#interrupted.clear();
    if (!answered) {
      const message = 'interrupted: expected a cancel before it, got none';
      this.report('interrupted-unasked', message, { context });
      return null;
    }
    const tookUs = this.now.atUs - answered.at.atUs;
    if (tookUs > SLOW_CANCEL_US) {
      const message = `interrupted: expected it within ${SLOW_CANCEL_US / SECOND_US} s, got it after ${(tookUs / SECOND_US).toFixed(1)} s`;
      this.report('cancel-slow', message, { context, related: answered.at });
    }
    return answered;
  }

  protected updateSent(): void {
    enqueue(this.#updates, this.now);
    this.#updated.start();
  }

  protected updateAnswered(): void {
    const isAsked = this.#updates.shift() !== undefined;
    if (!isAsked && this.#doubtfulUpdates > 0) this.#doubtfulUpdates -= 1;
    else if (!isAsked) {
      const message = 'settings_updated: expected update_settings before it, got none';
      this.report('settings-updated-unasked', message);
    }
    if (this.#updates.length === 0) this.#updated.clear();
  }

  /** @returns whether the error was foreseen, so that the state of the turns stays certain */
  protected errorForeseen(name: string | null, context: string | null): boolean {
    this.#lastError = name === null ? null : { name, at: this.now };
    const foreseen = name !== null && REFUSALS.has(name) ? this.#refusals.indexOf(context) : -1;
    if (foreseen >= 0) {
      this.#refusals.splice(foreseen, 1);
      return true;
    }
    this.areSettingsKnown = false;
    // The refused message may have been an update, whose answer then never comes.
    this.#doubtfulUpdates += this.#updates.length;
    this.#updates = [];
    this.#updated.clear();
    return false;
  }

  /** @param unfinished the oldest incomplete turn */
  protected judgeClose(code: number, unfinished: LintMoment | null): void {
    const belongs = ERROR_OF_CODE.get(code);
    const error = this.#lastError;
    const wanted = error ? CLOSE_AFTER[error.name as ErrorName] : undefined;
    if (error && wanted !== undefined && isOfVendor(code) && code !== wanted) {
      const message = `expected close code ${wanted} after ${error.name}, got ${code}`;
      this.report('close-code', message, { related: error.at });
    } else if (belongs && wanted === undefined) {
      this.report('close-unexplained', `expected an error ${belongs} before it, got none`);
    }
    const ending = error && wanted !== undefined ? error.at : null;
    if (unfinished && !isRefusingClose(code, ending, unfinished)) {
      const message = 'expected the end of the turn before it, got none';
      this.report('turn-cut-off', message, { related: unfinished });
    }
  }

  #answer(answer: string, withinUs: number, since: () => LintMoment | undefined): Deadline {
    return this.overdue(
      'answer-absent',
      withinUs,
      since,
      (time) => `expected ${answer} within ${time}, got none`,
    );
  }
}
