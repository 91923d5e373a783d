import type { LintMoment } from '../../core/rule.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import type { KugelRuleId } from './rules.ts';

/** The frame that ended the last turn. */
export type LastEnd = 'session_closed' | 'interrupted' | 'final';

const AFTER: Readonly<Record<LastEnd, KugelRuleId>> = {
  session_closed: 'after-session-closed',
  interrupted: 'after-interrupted',
  final: 'after-final',
};

/** Rules of frames without a turn. Reports the first of several in a row. */
export class StrayFrames {
  readonly #report: ReportFinding<KugelRuleId>;
  #last: { end: LastEnd; at: LintMoment } | null = null;
  #isReported = false;

  constructor(report: ReportFinding<KugelRuleId>) {
    this.#report = report;
  }

  endedBy(end: LastEnd, at: LintMoment): void {
    this.#last = { end, at };
    this.#isReported = false;
  }

  /** Suppresses the next reports, because the requested turns are unknown. */
  mute(): void {
    this.#isReported = true;
  }

  stray(at: LintMoment, kind: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { end = null, at: related = null } = this.#last ?? {};
    const message = `expected nothing${end === null ? '' : ` after ${end}`} before text is sent, got ${kind}`;
    this.#report(end === null ? 'no-turn' : AFTER[end], at, message, { related });
  }

  /** A frame of a turn after its final. */
  behindFinal(at: LintMoment, kind: string, final: LintMoment): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#report('after-final', at, `expected session_closed after final, got ${kind}`, { related: final });
  }
}
