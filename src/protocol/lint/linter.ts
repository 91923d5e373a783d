import {
  type Finding,
  type LintClose,
  type Linter,
  type LintFrame,
  type LintMoment,
  momentOf,
  type Rule,
} from '../core/rule.ts';
import { Deadlines } from './deadlines.ts';
import { Findings } from './findings.ts';
import { type RuleBook, rulesOf, type SharedRuleId } from './rule-book.ts';

/** What the rules of one connection work with. */
export interface CheckWorld<Id extends string> {
  findings: Findings<Id>;
  deadlines: Deadlines;
}

/** The rules of an endpoint, applied to one connection. What it finds goes to the findings of its world. */
export interface ConnectionCheck {
  /** Turns that were begun. */
  readonly turns: number;
  /** Something that was asked for has not been spoken to its end. */
  readonly isBusy: boolean;
  opened(moment: LintMoment): void;
  sent(frame: LintFrame): void;
  received(frame: LintFrame): void;
  /** Nothing more comes; deadlines are to be cleared. */
  closed(close: LintClose): void;
}

/** More connections than this at a time are not followed; the oldest are forgotten. */
const MAX_CONNECTIONS = 32;
/** A connection that is opened so soon after one that carried a single turn could have been saved. */
const REUSE_WITHIN_US = 60_000_000;

/** A linter for the rules of one endpoint. */
export function createLinter<Id extends string>(
  book: RuleBook<Id | SharedRuleId>,
  open: (world: CheckWorld<Id | SharedRuleId>) => ConnectionCheck,
): Linter {
  return new ConnectionsLinter(book, open);
}

class ConnectionsLinter<Id extends string> implements Linter {
  readonly rules: readonly Rule[];
  readonly #open: (world: CheckWorld<Id | SharedRuleId>) => ConnectionCheck;
  readonly #findings: Findings<Id | SharedRuleId>;
  readonly #connections = new Map<number, { check: ConnectionCheck; deadlines: Deadlines }>();
  #atUs = Number.NEGATIVE_INFINITY;
  /** The last connection that ended after a single turn. */
  #single: LintMoment | null = null;

  constructor(
    book: RuleBook<Id | SharedRuleId>,
    open: (world: CheckWorld<Id | SharedRuleId>) => ConnectionCheck,
  ) {
    this.rules = rulesOf(book);
    this.#open = open;
    this.#findings = new Findings(book);
  }

  opened(moment: LintMoment): readonly Finding[] {
    this.#passTo(moment.atUs);
    this.#begin(moment);
    return this.#findings.take();
  }

  feed(frame: LintFrame): readonly Finding[] {
    this.#passTo(frame.atUs);
    const { check } = this.#connections.get(frame.connection) ?? this.#begin(frame);
    const turns = check.turns;
    if (frame.direction === 'out') check.sent(frame);
    else check.received(frame);
    if (turns === 0 && check.turns > 0) this.#judgeConnection(frame);
    return this.#findings.take();
  }

  closed(close: LintClose): readonly Finding[] {
    this.#passTo(close.atUs);
    const connection = this.#connections.get(close.connection);
    if (connection) {
      const { check } = connection;
      // Who leaves in mid-turn has a reason: a barge-in where there is no cancel, or a network that broke.
      if (check.turns === 1 && !check.isBusy) this.#single = momentOf(close);
      check.closed(close);
      this.#connections.delete(close.connection);
    }
    return this.#findings.take();
  }

  pass(atUs: number): readonly Finding[] {
    this.#passTo(atUs);
    return this.#findings.take();
  }

  get dueUs(): number {
    let dueUs = Number.POSITIVE_INFINITY;
    for (const { deadlines } of this.#connections.values()) dueUs = Math.min(dueUs, deadlines.earliestUs);
    return dueUs;
  }

  #passTo(atUs: number): void {
    if (!(atUs > this.#atUs)) return;
    this.#atUs = atUs;
    for (const { deadlines } of this.#connections.values()) deadlines.runUntil(atUs);
  }

  #begin(moment: LintMoment) {
    const deadlines = new Deadlines();
    const check = this.#open({ findings: this.#findings, deadlines });
    const connection = { check, deadlines };
    this.#connections.delete(moment.connection);
    this.#connections.set(moment.connection, connection);
    if (this.#connections.size > MAX_CONNECTIONS) {
      const [oldest] = this.#connections.keys();
      if (oldest !== undefined) this.#connections.delete(oldest);
    }
    check.opened(momentOf(moment));
    return connection;
  }

  /** A turn begins on a connection of its own, right after another one ended that had no more than one either. */
  #judgeConnection(frame: LintFrame): void {
    const before = this.#single;
    if (!before || frame.atUs - before.atUs > REUSE_WITHIN_US) return;
    this.#single = null;
    this.#findings.report(
      'connection-per-turn',
      frame,
      `expected the turn on the connection that was there, got a new connection after connection ${before.connection} had carried a single turn`,
      { related: before.index },
    );
  }
}
