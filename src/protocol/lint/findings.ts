import type { Finding, LintMoment } from '../core/rule.ts';
import type { RuleBook } from './rule-book.ts';

/** What a finding says besides its rule and its frame. */
export interface Details {
  context?: string | null;
  path?: string;
  /** The frame that makes this one wrong. */
  related?: number | null;
  /** When it could be known, where that is not the time of the frame. */
  atUs?: number;
}

/** Collects what is found while one thing is looked at. */
export class Findings<Id extends string> {
  readonly #book: RuleBook<Id>;
  #found: Finding[] = [];

  constructor(book: RuleBook<Id>) {
    this.#book = book;
  }

  /** @param at the frame that the finding is about */
  report(id: Id, at: LintMoment, message: string, details: Details = {}): void {
    this.#found.push({
      id,
      ...this.#book[id],
      frame: at.index,
      atUs: details.atUs ?? at.atUs,
      connection: at.connection,
      context: details.context ?? null,
      message,
      path: details.path ?? null,
      related: details.related ?? null,
    });
  }

  /** What was found since the last call. */
  take(): readonly Finding[] {
    if (this.#found.length === 0) return NONE;
    const found = this.#found;
    this.#found = [];
    return found;
  }
}

const NONE: readonly Finding[] = [];
