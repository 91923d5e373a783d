import { shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import type { KugelRuleId } from './rules.ts';

/** Ids that are remembered, against a recording without end. */
const MAX_IDS = 256;
/** What was sent so shortly before an answer may not have been there when it was given. */
const IN_TRANSIT_US = 2_000_000;

/** What is known of context ids that no live context has: rules of frames that name one all the same. */
export class ContextIds {
  readonly #findings: Findings<KugelRuleId>;
  /** Ids of contexts that may be there or not, with the last frame for them: text came while they were closing. */
  readonly #doubtful = new Map<string, LintMoment>();
  readonly #closed = new Map<string, LintMoment>();
  /** Closes of contexts that are not there; they are answered all the same (`facts 10`, 18). */
  readonly #strayCloses = new Map<string, number>();
  /** Ids of which was told that nobody opened them, or that they are over. */
  readonly #told = new Map<string, LintMoment>();

  constructor(findings: Findings<KugelRuleId>) {
    this.#findings = findings;
  }

  /** A context of that id is opened. */
  opened(id: string): void {
    this.#told.delete(id);
  }

  /** A context of that id has ended. */
  closed(id: string, at: LintMoment): void {
    remember(this.#closed, id, at);
  }

  /** When the last one of that id ended. */
  closedAt(id: string): LintMoment | null {
    return this.#closed.get(id) ?? null;
  }

  /** Whether there is one of that id cannot be known from now on. */
  doubt(id: string, at: LintMoment): void {
    remember(this.#doubtful, id, at);
  }

  isDoubtful(id: string): boolean {
    return this.#doubtful.has(id);
  }

  /** The close of a context that may be gone already is answered once more. */
  expectStrayClose(id: string): void {
    remember(this.#strayCloses, id, (this.#strayCloses.get(id) ?? 0) + 1);
  }

  expectsStrayClose(id: string): boolean {
    return this.#strayCloses.has(id);
  }

  /** A frame that belongs to no context that lives. */
  stray(kind: string, id: string, at: LintMoment): void {
    if (kind === 'context_closed' && this.#takeStrayClose(id)) return;
    const doubted = this.#doubtful.get(id);
    if (doubted) {
      if (kind === 'context_closed' && at.atUs - doubted.atUs > IN_TRANSIT_US) this.#doubtful.delete(id);
      return;
    }
    if (this.#told.has(id)) return;
    remember(this.#told, id, at);
    const closed = this.#closed.get(id);
    this.#findings.report(
      closed ? 'after-context-closed' : 'context-never-asked',
      at,
      closed
        ? `expected nothing after context_closed, got ${kind}`
        : `context_id: expected a context that was opened, got ${shown(id)}`,
      { context: id, path: 'context_id', related: closed?.index ?? null },
    );
  }

  /** @returns whether it was expected */
  #takeStrayClose(id: string): boolean {
    const expected = this.#strayCloses.get(id) ?? 0;
    if (expected > 1) this.#strayCloses.set(id, expected - 1);
    else this.#strayCloses.delete(id);
    return expected > 0;
  }
}

function remember<T>(ids: Map<string, T>, id: string, what: T): void {
  ids.delete(id);
  ids.set(id, what);
  if (ids.size <= MAX_IDS) return;
  const [oldest] = ids.keys();
  if (oldest !== undefined) ids.delete(oldest);
}
