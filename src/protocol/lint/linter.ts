import { remember } from '#lib/collections/maps.ts';
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
import { TextScript } from './text-script.ts';

/** Shared by the rules of one connection. */
export interface CheckWorld<Id extends string> {
  findings: Findings<Id>;
  deadlines: Deadlines;
  /** Of the connection, without its key; null for an unknown one. */
  address: string | null;
}

/** The rules of an endpoint, applied to one connection. They report to the findings of their world. */
export interface ConnectionCheck {
  /** Null where each turn has a connection of its own, so that a connection for one is no waste. */
  readonly turns: number | null;
  /** Requested speech is not complete. */
  readonly isBusy: boolean;
  opened?(moment: LintMoment): void;
  sent(frame: LintFrame): void;
  received(frame: LintFrame): void;
  /** The last call. Clears all deadlines. */
  closed(close: LintClose): void;
}

/** Beyond this number of open connections, those without frames for the longest time are dropped. */
const MAX_CONNECTIONS = 32;
/** A connection that opens this soon after one with a single turn was unnecessary. */
const REUSE_WITHIN_US = 60_000_000;

interface FollowedConnection<Id extends string> {
  /** Settings in it may need a connection of their own. */
  address: string | null;
  check: ConnectionCheck;
  deadlines: Deadlines;
  findings: Findings<Id | SharedRuleId>;
  script: TextScript;
}

const NONE: readonly Finding[] = [];

/** A linter with the rules of one endpoint. */
export class ConnectionsLinter<Id extends string> implements Linter {
  readonly rules: readonly Rule[];
  readonly #open: (world: CheckWorld<Id | SharedRuleId>) => ConnectionCheck;
  readonly #book: RuleBook<Id | SharedRuleId>;
  readonly #found: Finding[] = [];
  readonly #connections = new Map<number, FollowedConnection<Id>>();
  /** The connection of the last frame, which is the newest of the map. */
  #newest: number | null = null;
  #atUs = Number.NEGATIVE_INFINITY;
  /** The last connection that ended after a single turn. */
  #single: { at: LintMoment; address: string | null } | null = null;

  constructor(
    book: RuleBook<Id | SharedRuleId>,
    open: (world: CheckWorld<Id | SharedRuleId>) => ConnectionCheck,
  ) {
    this.rules = rulesOf(book);
    this.#open = open;
    this.#book = book;
  }

  opened(moment: LintMoment, address: string | null = null): readonly Finding[] {
    this.#passTo(moment.atUs);
    this.#begin(moment, address);
    return this.#take();
  }

  feed(frame: LintFrame): readonly Finding[] {
    this.#passTo(frame.atUs);
    const connection = this.#connections.get(frame.connection) ?? this.#begin(frame);
    if (frame.connection !== this.#newest)
      remember(this.#connections, frame.connection, connection, MAX_CONNECTIONS);
    this.#newest = frame.connection;
    const { check } = connection;
    const { turns } = check;
    if (frame.direction === 'out') {
      check.sent(frame);
      const fault = connection.script.sent(frame);
      if (fault) connection.findings.once('language-script', frame, fault.message, fault.field);
    } else check.received(frame);
    if (turns === 0 && check.turns !== 0) this.#judgeReuse(frame, connection);
    return this.#take();
  }

  closed(close: LintClose): readonly Finding[] {
    this.#passTo(close.atUs);
    const connection = this.#connections.get(close.connection);
    if (connection) {
      const { check, address } = connection;
      // A client that leaves during a turn has a reason: a barge-in without cancel, or a broken network.
      if (check.turns === 1 && !check.isBusy) this.#single = { at: momentOf(close), address };
      check.closed(close);
      this.#connections.delete(close.connection);
    }
    return this.#take();
  }

  pass(atUs: number): readonly Finding[] {
    this.#passTo(atUs);
    return this.#take();
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

  #begin(moment: LintMoment, address: string | null = null): FollowedConnection<Id> {
    const deadlines = new Deadlines();
    const findings = new Findings(this.#book, this.#found);
    const check = this.#open({ findings, deadlines, address });
    const connection = { address, check, deadlines, findings, script: new TextScript(address) };
    remember(this.#connections, moment.connection, connection, MAX_CONNECTIONS);
    this.#newest = moment.connection;
    connection.check.opened?.(momentOf(moment));
    return connection;
  }

  #take(): readonly Finding[] {
    return this.#found.length === 0 ? NONE : this.#found.splice(0);
  }

  /** The first turn of a connection begins. Reports it if the previous connection ended just before with a single turn. */
  #judgeReuse(frame: LintFrame, { address, findings }: FollowedConnection<Id>): void {
    if (!this.#single || this.#single.address !== address) return;
    const { at: before } = this.#single;
    if (frame.atUs - before.atUs > REUSE_WITHIN_US) return;
    this.#single = null;
    findings.report(
      'connection-per-turn',
      frame,
      `expected the turn on the connection that was there, got a new connection after connection ${before.connection} had carried a single turn`,
      { related: before },
    );
  }
}
