import type { Finding, LintFrame, LintMoment } from '../core/rule.ts';
import { Deadline, LintClock } from './clock.ts';
import type { RuleBook } from './rule-book.ts';

/** Of a frame. */
export type LintPayload = LintFrame['payload'];

/** The parts of a finding besides its rule and its message. */
interface Details {
  /** The frame that the finding is about, where it is not the current one. */
  at?: LintMoment | null | undefined;
  /** Null where the endpoint has one context only, or the finding belongs to none. */
  context?: string | null;
  /** Dotted path of the wrong field. The message begins with it. */
  field?: string;
  /** Dotted path of the wrong field, for a message that begins otherwise. */
  path?: string;
  /** The moment that makes this one wrong. */
  related?: LintMoment | null | undefined;
}

/** Limits the names that are remembered as reported, because a faulty server may invent new ones without end. */
const MAX_REPORTED = 64;

/** Shared by the rules of one connection. */
export class CheckWorld<Id extends string> {
  /** Of the connection, without its key; null for an unknown one. */
  readonly address: string | null;
  readonly clock: LintClock;
  readonly #book: RuleBook<Id>;
  readonly #found: Finding[];
  readonly #reported = new Set<string>();

  /** @param found receives every finding */
  constructor(book: RuleBook<Id>, found: Finding[], first: LintMoment, address: string | null) {
    this.#book = book;
    this.#found = found;
    this.address = address;
    this.clock = new LintClock(first);
  }

  /** @param context where the details name none */
  report(id: Id, message: string, details: Details, context: string | null = null): void {
    const { now, atUs } = this.clock;
    const { field, path, related, at } = details;
    const { index, connection } = at ?? now;
    this.#found.push({
      id,
      ...this.#book[id],
      frame: index,
      atUs,
      connection,
      context: details.context === undefined ? context : details.context,
      message: field === undefined ? message : `${field}: ${message}`,
      path: field ?? path ?? null,
      related: related?.index ?? null,
      sound: null,
    });
  }

  /** Whether a name is asked for the first time. */
  isFirst(name: string): boolean {
    if (this.#reported.has(name) || this.#reported.size >= MAX_REPORTED) return false;
    this.#reported.add(name);
    return true;
  }
}

/** Most checks have none, and {@link Check.in} makes one for many frames. */
const NO_DEADLINES: readonly Deadline[] = [];

/** The part of a {@link Check} that rules of several vendors use. */
export type Reporter<Id extends string> = Pick<Check<Id>, 'now' | 'report' | 'once'>;

/** Rules of one subject with a memory of their own: a connection, a context or a turn. */
export class Check<Id extends string> {
  readonly world: CheckWorld<Id>;
  /** Of its findings. */
  readonly context: string | null;
  #deadlines = NO_DEADLINES;
  /** Of the context that was reported about last. */
  #inner: Check<Id> | null = null;

  constructor(world: CheckWorld<Id>, context: string | null = null) {
    this.world = world;
    this.context = context;
  }

  /** The current frame. */
  get now(): LintMoment {
    return this.world.clock.now;
  }

  /** @param details a string is the dotted path of the wrong field */
  report(id: Id, message: string, details: string | Details = {}): void {
    const named = typeof details === 'string' ? { field: details } : details;
    this.world.report(id, message, named, this.context);
  }

  /** Reports once a context. @param name for several reports of one rule, and for one report a connection */
  once(id: Id, message: string, details?: string | Details, name: string = this.#nameOf(id)): void {
    if (this.world.isFirst(name)) this.report(id, message, details);
  }

  /** Reports about a context of this connection. */
  in(context: string | null): Check<Id> {
    if (context === this.context) return this;
    if (this.#inner?.context !== context) this.#inner = new Check(this.world, context);
    return this.#inner;
  }

  /** Nothing is awaited any more. */
  rest(): void {
    for (const deadline of this.#deadlines) deadline.clear();
  }

  /** @param missed gets the time that passed, as a text */
  protected deadline(afterUs: number, missed: (time: string) => void): Deadline {
    const deadline = new Deadline(this.world.clock, afterUs, missed);
    this.#deadlines = [...this.#deadlines, deadline];
    return deadline;
  }

  /** Reports a moment that still waits after a time. @param since null where nothing is missing */
  protected overdue(
    id: Id,
    afterUs: number,
    since: () => LintMoment | null | undefined,
    message: (time: string) => string,
  ): Deadline {
    return this.deadline(afterUs, (time) => {
      const at = since();
      if (at) this.report(id, message(time), { at });
    });
  }

  #nameOf(id: Id): string {
    return this.context === null ? id : `${id} ${this.context}`;
  }
}

/** Whether a close code is of the vendor's own, with which it refuses to go on. */
export const isOfVendor = (code: number): boolean => code >= 4000;

/**
 * Whether a close is a refusal, which ends its turns.
 * @param ending the last error of the server, where it ends the connection: a broken network hides the code that follows it
 * @param unfinished what the close leaves unfinished. It must not be younger than the error
 */
export const isRefusingClose = (code: number, ending: LintMoment | null, unfinished: LintMoment): boolean =>
  isOfVendor(code) || (ending !== null && ending.atUs >= unfinished.atUs);
