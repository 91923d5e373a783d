import type { Finding, LintMoment } from '../core/rule.ts';
import type { RuleBook } from './rule-book.ts';

/** The parts of a finding besides its rule, its frame and its message. */
export interface Details {
  /** Null where the endpoint has one context only, or the finding belongs to none. */
  context?: string | null;
  /** Dotted path of the wrong field. The message begins with it. */
  field?: string;
  /** Dotted path of the wrong field, for a message that begins otherwise. */
  path?: string;
  /** The moment that makes this one wrong. */
  related?: LintMoment | null | undefined;
  /** The time at which it became known, where that is not the time of the frame. */
  atUs?: number;
}

/** Reports a finding about the frame of `at`. @param details a string is the dotted path of the wrong field */
export type ReportFinding<Id extends string> = (
  id: Id,
  at: LintMoment,
  message: string,
  details?: string | Details,
) => void;

/** Limits the names that are remembered as reported, because a faulty server may invent new ones without end. */
const MAX_REPORTED = 64;

/** The findings of one connection. */
export class Findings<Id extends string> {
  readonly #book: RuleBook<Id>;
  readonly #found: Finding[];
  readonly #reported = new Set<string>();

  /** @param found receives every finding */
  constructor(book: RuleBook<Id>, found: Finding[]) {
    this.#book = book;
    this.#found = found;
  }

  readonly report: ReportFinding<Id> = (id, at, message, details = {}) => {
    const { context, field, path, related, atUs } = detailsOf(details);
    this.#found.push({
      id,
      ...this.#book[id],
      frame: at.index,
      atUs: atUs ?? at.atUs,
      connection: at.connection,
      context: context ?? null,
      message: field === undefined ? message : `${field}: ${message}`,
      path: field ?? path ?? null,
      related: related?.index ?? null,
      sound: null,
    });
  };

  /** Reports once a connection. @param name for several reports of one rule */
  once(id: Id, at: LintMoment, message: string, details?: string | Details, name: string = id): void {
    if (this.#reported.has(name) || this.#reported.size >= MAX_REPORTED) return;
    this.#reported.add(name);
    this.report(id, at, message, details);
  }

  /** Reports about one context. */
  in(context: string | null): ReportFinding<Id> {
    return (id, at, message, details = {}) =>
      this.report(id, at, message, { context, ...detailsOf(details) });
  }
}

const detailsOf = (details: string | Details): Details =>
  typeof details === 'string' ? { field: details } : details;
