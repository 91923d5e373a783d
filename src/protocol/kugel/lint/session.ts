import { wordList } from '#lib/word-list.ts';
import type { LintClose, LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Findings } from '../../lint/findings.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import { isOfVendor, isRefusingClose } from '../../lint/refusals.ts';
import { CLOSE_AFTER, type ErrorName } from '../wire/errors.ts';
import { Billing, type PriceBook } from './billing.ts';
import type { KugelRuleId } from './rules.ts';
import type { TurnWorld } from './turns.ts';

/** Rules of a connection on the Kugel endpoints: cancel, updates, errors, the close. */

/** Silence after which the vendor's clients give up (`facts 2.4`). */
const CANCEL_US = 5 * SECOND_US;
const UPDATE_US = 15 * SECOND_US;
/** The limit of the vendor's own test (`facts 2.3.24`). */
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

export class SessionBook {
  turns = 0;
  /** The `close_socket` of the client. */
  closing: LintMoment | null = null;
  /** False once a message was refused for a reason that the linter cannot foresee. */
  areSettingsKnown = true;
  /** For the turns of this connection. */
  readonly turnWorld: TurnWorld;
  readonly #findings: Findings<KugelRuleId>;
  #cancels: Cancel[] = [];
  #cancelled = 0;
  #updates: LintMoment[] = [];
  /** Further updates, which the server may have refused. */
  #doubtfulUpdates = 0;
  readonly #cancelAnswer: Deadline;
  readonly #updateAnswer: Deadline;
  /** Contexts of messages that the server must refuse. */
  #refusals: (string | null)[] = [];
  #lastError: { name: string; at: LintMoment } | null = null;

  /** @param settings the current ones of the connection */
  constructor(
    world: CheckWorld<KugelRuleId>,
    prices: PriceBook,
    settings: () => { language?: unknown; normalize?: unknown },
  ) {
    const { findings, deadlines } = world;
    this.#findings = findings;
    this.turnWorld = {
      ...world,
      billing: new Billing(findings, prices),
      began: (at) => {
        this.turns += 1;
        const { language, normalize } = settings();
        // Without normalisation the server detects nothing (`facts 1.4`).
        if (language !== undefined || normalize === false) return;
        findings.once('language-missing', at, 'expected a code such as en, got nothing', 'language');
      },
    };
    const missing = (at: LintMoment, answer: string, afterUs: number, atUs: number): void => {
      const message = `expected ${answer} within ${afterUs / SECOND_US} s, got none`;
      findings.report('answer-absent', at, message, { atUs });
    };
    this.#cancelAnswer = deadlines.create((atUs) => {
      const [waiting] = this.#cancels;
      if (waiting) missing(waiting.at, 'interrupted', CANCEL_US, atUs);
    });
    this.#updateAnswer = deadlines.create((atUs) => {
      const [waiting] = this.#updates;
      if (waiting) missing(waiting, 'settings_updated', UPDATE_US, atUs);
    });
  }

  /** Whether the server refuses a message because of an earlier `close_socket`, which is reported. */
  refusesAfterClose(at: LintMoment, isBargeIn: boolean): boolean {
    if (!this.closing || isBargeIn) return false;
    const message = 'expected no message after close_socket but a barge-in, got one';
    this.#findings.report('after-close-socket', at, message, { related: this.closing });
    return true;
  }

  foreseeRefusal(context: string | null): void {
    this.#refusals.push(context);
    if (this.#refusals.length > MAX_PENDING) this.#refusals.shift();
  }

  /** @returns its number */
  cancel(context: string | null, at: LintMoment): number {
    this.#cancelled += 1;
    this.#cancels.push({ number: this.#cancelled, context, at });
    if (this.#cancels.length > MAX_PENDING) this.#cancels.shift();
    this.#cancelAnswer.set(at.atUs + CANCEL_US);
    return this.#cancelled;
  }

  /** @returns the cancel that it answers; null without one, after a report */
  interrupted(context: string | null, at: LintMoment): Cancel | null {
    const report = this.#findings.in(context);
    const same = this.#cancels.findIndex((cancel) => cancel.context === context);
    // The documentation does not say whether the answer names the context (`facts 10`, 19).
    const place = same < 0 && context === null ? 0 : same;
    const [answered] = place < 0 ? [] : this.#cancels.splice(place, 1);
    if (this.#cancels.length === 0) this.#cancelAnswer.clear();
    if (!answered) {
      report('interrupted-unasked', at, 'interrupted: expected a cancel before it, got none');
      return null;
    }
    const tookUs = at.atUs - answered.at.atUs;
    if (tookUs > SLOW_CANCEL_US) {
      const message = `interrupted: expected it within ${SLOW_CANCEL_US / SECOND_US} s, got it after ${(tookUs / SECOND_US).toFixed(1)} s`;
      report('cancel-slow', at, message, { related: answered.at });
    }
    return answered;
  }

  update(at: LintMoment): void {
    this.#updates.push(at);
    if (this.#updates.length > MAX_PENDING) this.#updates.shift();
    this.#updateAnswer.set(at.atUs + UPDATE_US);
  }

  updated(at: LintMoment): void {
    const isAsked = this.#updates.shift() !== undefined;
    if (!isAsked && this.#doubtfulUpdates > 0) this.#doubtfulUpdates -= 1;
    else if (!isAsked) {
      const message = 'settings_updated: expected update_settings before it, got none';
      this.#findings.report('settings-updated-unasked', at, message);
    }
    if (this.#updates.length === 0) this.#updateAnswer.clear();
  }

  /** @returns whether it was foreseen, so that the state of the turns stays certain */
  error(name: string | null, context: string | null, at: LintMoment): boolean {
    this.#lastError = name === null ? null : { name, at };
    const foreseen = name !== null && REFUSALS.has(name) ? this.#refusals.indexOf(context) : -1;
    if (foreseen >= 0) {
      this.#refusals.splice(foreseen, 1);
      return true;
    }
    this.areSettingsKnown = false;
    // The refused message may have been an update, whose answer then never comes.
    this.#doubtfulUpdates += this.#updates.length;
    this.#updates = [];
    this.#updateAnswer.clear();
    return false;
  }

  /** @param unfinished the oldest incomplete turn */
  closed({ code, ...at }: LintClose, unfinished: LintMoment | null): void {
    this.#cancelAnswer.clear();
    this.#updateAnswer.clear();
    const { report } = this.#findings;
    const belongs = ERROR_OF_CODE.get(code);
    const error = this.#lastError;
    const wanted = error ? CLOSE_AFTER[error.name as ErrorName] : undefined;
    if (error && wanted !== undefined && isOfVendor(code) && code !== wanted) {
      const message = `expected close code ${wanted} after ${error.name}, got ${code}`;
      report('close-code', at, message, { related: error.at });
    } else if (belongs && wanted === undefined) {
      report('close-unexplained', at, `expected an error ${belongs} before it, got none`);
    }
    const ending = error && wanted !== undefined ? error.at : null;
    if (unfinished && !isRefusingClose(code, ending, unfinished)) {
      const message = 'expected the end of the turn before it, got none';
      report('turn-cut-off', at, message, { related: unfinished });
    }
  }
}
