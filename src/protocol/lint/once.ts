import type { LintMoment } from '../core/rule.ts';
import type { Findings } from './findings.ts';

/** Unknown fields and the like that are remembered as told, against a server that never stops inventing them. */
const MAX_TOLD = 64;

/** What holds for a whole connection, and is told once. */
export class Once<Id extends string> {
  readonly #findings: Findings<Id>;
  readonly #told = new Set<string>();

  constructor(findings: Findings<Id>) {
    this.#findings = findings;
  }

  /** @param key what it is told once of; the rule where there is nothing else */
  report(id: Id, at: LintMoment, message: string, path?: string, key: string = id): void {
    if (this.#told.has(key) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(key);
    this.#findings.report(id, at, message, path === undefined ? {} : { path });
  }
}
