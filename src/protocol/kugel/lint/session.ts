import type { LintClose, LintMoment } from '../../core/rule.ts';
import type { Deadline } from '../../lint/deadlines.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import { CLOSE_AFTER, type ErrorName } from '../wire/errors.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of a connection that every Kugel endpoint shares: cancel and its answer, updates, errors, the close. */

const SECOND_US = 1_000_000;
/** Quiet times after which the vendor's clients give up (`facts 2.4`). */
const CANCEL_US = 5 * SECOND_US;
const UPDATE_US = 15 * SECOND_US;
/** The vendor's own test allows so much (`facts 2.3.24`). */
const SLOW_CANCEL_US = 1.5 * SECOND_US;
const MAX_PENDING = 64;

/** Errors by which a server refuses one message and goes on. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorName>([
  'VALIDATION_ERROR',
  'MISSING_VOICE_ID',
  'TOO_MANY_CONTEXTS',
]);

interface Cancel {
  number: number;
  context: string | null;
  at: LintMoment;
}

export class SessionBook {
  readonly #world: CheckWorld<KugelRuleId>;
  #cancels: Cancel[] = [];
  #cancelled = 0;
  #updates: LintMoment[] = [];
  readonly #cancelAnswer: Deadline;
  readonly #updateAnswer: Deadline;
  /** Contexts of messages that the server must refuse, by all that is known here. */
  #refusals: (string | null)[] = [];
  #lastError: { name: string; at: LintMoment } | null = null;
  closing: LintMoment | null = null;

  constructor(world: CheckWorld<KugelRuleId>) {
    this.#world = world;
    this.#cancelAnswer = world.deadlines.create((atUs) => {
      const [waiting] = this.#cancels;
      if (waiting) this.#missing(waiting.at, 'interrupted', CANCEL_US, atUs);
    });
    this.#updateAnswer = world.deadlines.create((atUs) => {
      const [waiting] = this.#updates;
      if (waiting) this.#missing(waiting, 'settings_updated', UPDATE_US, atUs);
    });
  }

  /** The server will refuse a message. */
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

  /** @returns the cancel that it answers; null where there is none, which is reported */
  interrupted(context: string | null, at: LintMoment): Cancel | null {
    const same = this.#cancels.findIndex((cancel) => cancel.context === context);
    // Whether the answer names the context is documented nowhere (`facts 10`, 19).
    const place = same < 0 && context === null ? 0 : same;
    const [answered] = place < 0 ? [] : this.#cancels.splice(place, 1);
    if (this.#cancels.length === 0) this.#cancelAnswer.clear();
    if (!answered) {
      this.#world.findings.report(
        'interrupted-unasked',
        at,
        'interrupted: expected a cancel before it, got none',
        {
          context,
        },
      );
      return null;
    }
    const tookUs = at.atUs - answered.at.atUs;
    if (tookUs > SLOW_CANCEL_US) {
      this.#world.findings.report(
        'cancel-slow',
        at,
        `interrupted: expected it within ${SLOW_CANCEL_US / SECOND_US} s, got it after ${(tookUs / SECOND_US).toFixed(1)} s`,
        { context, related: answered.at.index },
      );
    }
    return answered;
  }

  update(at: LintMoment): void {
    this.#updates.push(at);
    if (this.#updates.length > MAX_PENDING) this.#updates.shift();
    this.#updateAnswer.set(at.atUs + UPDATE_US);
  }

  updated(at: LintMoment): void {
    if (!this.#updates.shift()) {
      this.#world.findings.report(
        'settings-updated-unasked',
        at,
        'settings_updated: expected update_settings before it, got none',
      );
    }
    if (this.#updates.length === 0) this.#updateAnswer.clear();
  }

  /** @returns whether it was foreseen, so that nothing is in doubt */
  error(name: string | null, context: string | null, at: LintMoment): boolean {
    this.#lastError = name === null ? null : { name, at };
    const foreseen = name !== null && REFUSALS.has(name) ? this.#refusals.indexOf(context) : -1;
    if (foreseen >= 0) {
      this.#refusals.splice(foreseen, 1);
      return true;
    }
    // What was refused may have been what an answer is waited for.
    this.#updates = [];
    this.#updateAnswer.clear();
    return false;
  }

  closed({ code, ...at }: LintClose, unfinished: LintMoment | null): void {
    this.#cancelAnswer.clear();
    this.#updateAnswer.clear();
    const belongs = CODES.get(code);
    const error = this.#lastError;
    const wanted = error ? CLOSE_AFTER[error.name as ErrorName] : undefined;
    if (error && wanted !== undefined && code >= 4000 && code !== wanted) {
      this.#world.findings.report(
        'close-code',
        at,
        `expected close code ${wanted} after ${error.name}, got ${code}`,
        {
          related: error.at.index,
        },
      );
    } else if (belongs && wanted === undefined) {
      this.#world.findings.report(
        'close-unexplained',
        at,
        `expected an error ${belongs} before it, got none`,
      );
    }
    if (unfinished) {
      this.#world.findings.report('turn-cut-off', at, 'expected the end of the turn before it, got none', {
        related: unfinished.index,
      });
    }
  }

  #missing(at: LintMoment, answer: string, afterUs: number, atUs: number): void {
    this.#world.findings.report(
      'answer-absent',
      at,
      `expected ${answer} within ${afterUs / SECOND_US} s, got none`,
      {
        atUs,
      },
    );
  }
}

const CODES: ReadonlyMap<number, string> = new Map(
  Object.entries(CLOSE_AFTER).map(([name, code]) => [code, name]),
);
