import type { LintMoment } from '../../core/rule.ts';
import type { ReportTurn } from './report.ts';
import type { KugelRuleId } from './rules.ts';

/** What was heard last, to say what a frame without a turn comes after. */
export type LastEnd = 'session_closed' | 'interrupted' | 'final';

const AFTER: Readonly<Record<LastEnd, KugelRuleId>> = {
  session_closed: 'after-session-closed',
  interrupted: 'after-interrupted',
  final: 'after-final',
};

/** Rules of frames that come although nobody asked for speech. Of several in a row the first is reported. */
export class StrayFrames {
  readonly #report: ReportTurn;
  #last: { end: LastEnd; at: LintMoment } | null = null;
  #isReported = false;

  constructor(report: ReportTurn) {
    this.#report = report;
  }

  endedBy(end: LastEnd, at: LintMoment): void {
    this.#last = { end, at };
    this.#isReported = false;
  }

  /** It is not known any more what was asked for: the next ones are no news. */
  mute(): void {
    this.#isReported = true;
  }

  /** A frame that belongs to no turn. */
  stray(at: LintMoment, kind: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { end = null, at: before = null } = this.#last ?? {};
    this.#report(
      end === null ? 'no-turn' : AFTER[end],
      at,
      `expected nothing${end === null ? '' : ` after ${end}`} before text is sent, got ${kind}`,
      before,
    );
  }

  /** A frame of a turn that was ended by a final. */
  behindFinal(at: LintMoment, kind: string, final: LintMoment): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#report('after-final', at, `expected session_closed after final, got ${kind}`, final);
  }
}
