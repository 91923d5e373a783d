import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, type Deadlines, SECOND_US } from '../../lint/deadlines.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { IDLE_TURN_MS } from '../wire/stream-settings.ts';
import type { KugelRuleId } from './rules.ts';

/** Shortly before the idle end of a turn. */
const SOON_US = (IDLE_TURN_MS - 1000) * 1000;
/** The vendor says "~5 s", and the network adds time in both directions. */
const ABSENT_US = (IDLE_TURN_MS + 3000) * 1000;
const EARLY_US = (IDLE_TURN_MS - 500) * 1000;
/** Text sent this shortly before the end may have arrived after it. */
export const IN_TRANSIT_US = 2 * SECOND_US;

/** Rules of turns without text or flush, which the server ends after a while (`facts 2.3.10`). */
export class IdleTurn {
  readonly #report: ReportFinding<KugelRuleId>;
  readonly #soon: Deadline;
  readonly #absent: Deadline;

  /** @param lastText of the open turn; null where none is open, or none is known */
  constructor(deadlines: Deadlines, lastText: () => LintMoment | null, report: ReportFinding<KugelRuleId>) {
    this.#report = report;
    const reportAfter = (id: KugelRuleId, message: string): Deadline =>
      deadlines.create((atUs) => {
        const text = lastText();
        if (text) report(id, text, message, { atUs });
      });
    this.#soon = reportAfter(
      'idle-turn-soon',
      `expected a flush or more text after it, got neither for ${SOON_US / SECOND_US} s`,
    );
    this.#absent = reportAfter(
      'idle-end-absent',
      `expected the warning and the end of the turn ${IDLE_TURN_MS / 1000} s after it, got nothing for ${ABSENT_US / SECOND_US} s`,
    );
  }

  text(at: LintMoment): void {
    this.#soon.set(at.atUs + SOON_US);
    this.#absent.set(at.atUs + ABSENT_US);
  }

  clear(): void {
    this.#soon.clear();
    this.#absent.clear();
  }

  /**
   * The server has ended the turn.
   * @returns false where its last text was in transit, so that it may have opened another turn
   */
  ended(at: LintMoment, lastText: LintMoment): boolean {
    const idleUs = at.atUs - lastText.atUs;
    if (idleUs <= IN_TRANSIT_US) return false;
    if (idleUs >= EARLY_US) {
      const message = `expected a flush within ${IDLE_TURN_MS / 1000} s after the last text, got none`;
      this.#report('idle-turn-ended', at, message, { related: lastText });
    } else {
      const message = `warning: expected it ${IDLE_TURN_MS / 1000} s after the last text, got it after ${(idleUs / SECOND_US).toFixed(1)} s`;
      this.#report('idle-end-early', at, message, { related: lastText });
    }
    return true;
  }
}
