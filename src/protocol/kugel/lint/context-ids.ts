import { remember } from '#lib/collections/maps.ts';
import { shown } from '../../core/issue.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { IN_TRANSIT_US } from './idle-turn.ts';
import type { KugelRuleId } from './rules.ts';

const MAX_IDS = 256;
/** Rules of frames that name the id of no live context. */
export class ContextIds {
  readonly #findings: Findings<KugelRuleId>;
  /** Ids whose context may or may not exist, with their last frame: text was sent while the context was closing. */
  readonly #doubtful = new Map<string, LintMoment>();
  readonly #closed = new Map<string, LintMoment>();
  /** Closes of contexts that do not exist, which the server answers nevertheless (`facts 10`, 18). */
  readonly #strayCloses = new Map<string, number>();
  /** Ids that were reported as never opened or as closed. */
  readonly #reported = new Map<string, LintMoment>();

  constructor(findings: Findings<KugelRuleId>) {
    this.#findings = findings;
  }

  opened(id: string): void {
    this.#reported.delete(id);
  }

  closed(id: string, at: LintMoment): void {
    remember(this.#closed, id, at, MAX_IDS);
  }

  /** The end of the last context of that id. */
  closedAt(id: string): LintMoment | null {
    return this.#closed.get(id) ?? null;
  }

  /** From now on the existence of a context of that id is unknown. */
  doubt(id: string, at: LintMoment): void {
    remember(this.#doubtful, id, at, MAX_IDS);
  }

  isDoubtful(id: string): boolean {
    return this.#doubtful.has(id);
  }

  /** The server answers the close of a context again although it may be gone. */
  expectStrayClose(id: string): void {
    remember(this.#strayCloses, id, (this.#strayCloses.get(id) ?? 0) + 1, MAX_IDS);
  }

  expectsStrayClose(id: string): boolean {
    return this.#strayCloses.has(id);
  }

  /** A frame without a live context. */
  stray(kind: string, id: string, at: LintMoment): void {
    if (kind === 'context_closed' && this.#takeStrayClose(id)) return;
    const doubted = this.#doubtful.get(id);
    if (doubted) {
      if (kind === 'context_closed' && at.atUs - doubted.atUs > IN_TRANSIT_US) this.#doubtful.delete(id);
      return;
    }
    if (this.#reported.has(id)) return;
    remember(this.#reported, id, at, MAX_IDS);
    const closed = this.#closed.get(id);
    this.#findings.report(
      closed ? 'after-context-closed' : 'context-never-asked',
      at,
      closed
        ? `expected nothing after context_closed, got ${kind}`
        : `context_id: expected a context that was opened, got ${shown(id)}`,
      { context: id, path: 'context_id', related: closed },
    );
  }

  /** @returns whether the close was expected */
  #takeStrayClose(id: string): boolean {
    const expected = this.#strayCloses.get(id) ?? 0;
    if (expected > 1) this.#strayCloses.set(id, expected - 1);
    else this.#strayCloses.delete(id);
    return expected > 0;
  }
}
