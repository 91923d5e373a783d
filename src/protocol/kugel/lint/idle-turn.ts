import type { LintMoment } from '../../core/rule.ts';
import type { Deadline, Deadlines } from '../../lint/deadlines.ts';
import { IDLE_TURN_MS } from '../wire/stream-client.ts';
import type { ReportTurn } from './report.ts';

const SECOND_US = 1_000_000;
/** Before the idle end of a turn. */
const SOON_US = (IDLE_TURN_MS - 1000) * 1000;
/** The vendor says "~5 s", and the way there and back takes time. */
const ABSENT_US = (IDLE_TURN_MS + 3000) * 1000;
const EARLY_US = (IDLE_TURN_MS - 500) * 1000;
/** Text that was sent so shortly before the end may not have been there in time. */
export const IN_TRANSIT_US = 2 * SECOND_US;

/** Rules of turns that get no text and no flush, which the server ends after a while (`facts 2.3.10`). */
export class IdleTurn {
  readonly #report: ReportTurn;
  readonly #soon: Deadline;
  readonly #absent: Deadline;

  /** @param lastText of the turn that is open; null where there is none, or it cannot be known */
  constructor(deadlines: Deadlines, lastText: () => LintMoment | null, report: ReportTurn) {
    this.#report = report;
    this.#soon = deadlines.create((atUs) => {
      const text = lastText();
      const message = `expected a flush or more text after it, got neither for ${SOON_US / SECOND_US} s`;
      if (text) report('idle-turn-soon', text, message, null, undefined, atUs);
    });
    this.#absent = deadlines.create((atUs) => {
      const text = lastText();
      const message = `expected the warning and the end of the turn ${IDLE_TURN_MS / 1000} s after it, got nothing for ${ABSENT_US / SECOND_US} s`;
      if (text) report('idle-end-absent', text, message, null, undefined, atUs);
    });
  }

  /** The open turn has got text. */
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
   * @returns false where its last text was on the way meanwhile, so that it may have opened another turn
   */
  ended(at: LintMoment, lastText: LintMoment): boolean {
    const idleUs = at.atUs - lastText.atUs;
    if (idleUs <= IN_TRANSIT_US) return false;
    if (idleUs >= EARLY_US) {
      this.#report(
        'idle-turn-ended',
        at,
        `expected a flush within ${IDLE_TURN_MS / 1000} s after the last text, got none`,
        lastText,
      );
    } else {
      this.#report(
        'idle-end-early',
        at,
        `warning: expected it ${IDLE_TURN_MS / 1000} s after the last text, got it after ${(idleUs / SECOND_US).toFixed(1)} s`,
        lastText,
      );
    }
    return true;
  }
}
