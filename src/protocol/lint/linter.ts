import { remember } from '#lib/collections/maps.ts';
import type { Fields } from '../core/json-frame.ts';
import type { Finding, LintClose, Linter, LintFrame, LintMoment, Rule } from '../core/rule.ts';
import { Check, CheckWorld, type LintPayload } from './check.ts';
import { SECOND_US } from './clock.ts';
import { readClientText, readText } from './message.ts';
import { type RuleBook, rulesOf, type SharedRuleId } from './rule-book.ts';
import { TextScript } from './text-script.ts';

/**
 * The rules of an endpoint, applied to one connection. They count the requests of the client themselves. The line of turns
 * cannot do so, because it gives a turn also to a frame that the server did not owe.
 */
export abstract class ConnectionCheck<Id extends string> extends Check<Id> {
  /** Null where each turn has a connection of its own, so that a connection for one is no waste. */
  abstract readonly turns: number | null;
  /** Requested speech is not complete. */
  abstract readonly isBusy: boolean;
  /** The server reads no further messages. */
  readonly isDeaf: boolean = false;
  /** Of the client's texts. */
  readonly script = new TextScript(this.world.address);

  opened(): void {}

  /** @param fields null where the server cannot read the message, which is reported */
  abstract sent(fields: Fields | null, payload: LintPayload): void;

  /** @param fields null for an unreadable frame, which is reported */
  abstract received(fields: Fields | null): void;

  /** A binary frame. Absent where the protocol has none. */
  audio?(bytes: number): void;

  /** The last call. No deadline runs afterwards. */
  closed(_code: number): void {}
}

/** Rules that every endpoint has. */
type ReadingRuleId = 'binary-message' | SharedRuleId;

/** Beyond this number of open connections, those without frames for the longest time are dropped. */
const MAX_CONNECTIONS = 32;
/** A connection that opens this soon after one with a single turn was unnecessary. */
const REUSE_WITHIN_US = 60 * SECOND_US;

const NONE: readonly Finding[] = [];

/** A linter with the rules of one endpoint. */
export class ConnectionsLinter<Id extends string> implements Linter {
  readonly rules: readonly Rule[];
  readonly #open: (world: CheckWorld<Id | ReadingRuleId>) => ConnectionCheck<Id | ReadingRuleId>;
  readonly #book: RuleBook<Id | ReadingRuleId>;
  readonly #found: Finding[] = [];
  readonly #connections = new Map<number, ConnectionCheck<Id | ReadingRuleId>>();
  /** The connection of the last frame, which is the newest of the map. */
  #newest: number | null = null;
  #atUs = Number.NEGATIVE_INFINITY;
  /** The last connection that ended after a single turn. */
  #single: { at: LintMoment; address: string | null } | null = null;

  constructor(
    book: RuleBook<Id | ReadingRuleId>,
    open: (world: CheckWorld<Id | ReadingRuleId>) => ConnectionCheck<Id | ReadingRuleId>,
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
    const { payload, connection } = frame;
    const check = this.#connections.get(connection) ?? this.#begin(frame);
    if (connection !== this.#newest) remember(this.#connections, connection, check, MAX_CONNECTIONS);
    this.#newest = connection;
    const { turns } = check;
    check.world.clock.pass(frame);
    if (frame.direction === 'out') {
      check.sent(check.isDeaf ? null : readClientText(payload, check), payload);
      const fault = check.script.sent(frame);
      if (fault) check.once('language-script', fault.message, fault.field);
    } else if (typeof payload !== 'string' && check.audio) check.audio(payload.byteLength);
    else check.received(readText(payload, check));
    if (turns === 0 && check.turns !== 0) this.#judgeReuse(check.world);
    return this.#take();
  }

  closed(close: LintClose): readonly Finding[] {
    this.#passTo(close.atUs);
    const check = this.#connections.get(close.connection);
    if (check) {
      const { clock, address } = check.world;
      clock.pass(close);
      // A client that leaves during a turn has a reason: a barge-in without cancel, or a broken network.
      if (check.turns === 1 && !check.isBusy) this.#single = { at: clock.now, address };
      check.closed(close.code);
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
    for (const { world } of this.#connections.values()) dueUs = Math.min(dueUs, world.clock.earliestUs);
    return dueUs;
  }

  #passTo(atUs: number): void {
    if (!(atUs > this.#atUs)) return;
    this.#atUs = atUs;
    for (const { world } of this.#connections.values()) world.clock.runUntil(atUs);
  }

  #begin(moment: LintMoment, address: string | null = null): ConnectionCheck<Id | ReadingRuleId> {
    const check = this.#open(new CheckWorld(this.#book, this.#found, moment, address));
    remember(this.#connections, moment.connection, check, MAX_CONNECTIONS);
    this.#newest = moment.connection;
    check.opened();
    return check;
  }

  #take(): readonly Finding[] {
    return this.#found.length === 0 ? NONE : this.#found.splice(0);
  }

  /** The first turn of a connection begins. Reports it if the previous connection ended just before with a single turn. */
  #judgeReuse(world: CheckWorld<Id | ReadingRuleId>): void {
    if (!this.#single || this.#single.address !== world.address) return;
    const { at: related } = this.#single;
    if (world.clock.atUs - related.atUs > REUSE_WITHIN_US) return;
    this.#single = null;
    const message = `expected the turn on the connection that was there, got a new connection after connection ${related.connection} had carried a single turn`;
    world.report('connection-per-turn', message, { related });
  }
}
