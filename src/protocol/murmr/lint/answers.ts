import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import type { MurmrRuleId } from './rules.ts';

/** Acknowledgements leave at once (`facts 6.3.2`). */
const ACK_US = 5 * SECOND_US;

/** Types of the frames that answer one message each. */
export type AnswerType = 'config_ack' | 'binary_mode_ack' | 'pong';

/** Messages of one kind without an answer so far. */
export class WaitingForAnswer {
  readonly #world: CheckWorld<MurmrRuleId>;
  readonly #answer: AnswerType;
  readonly #deadline: Deadline;
  #count = 0;
  #first: LintMoment | null = null;

  constructor(world: CheckWorld<MurmrRuleId>, answer: AnswerType) {
    this.#world = world;
    this.#answer = answer;
    this.#deadline = world.deadlines.create((atUs) => {
      if (!this.#first) return;
      const message = `expected ${answer} within ${ACK_US / SECOND_US} s, got none`;
      world.findings.report('answer-absent', this.#first, message, { atUs });
    });
  }

  expect(at: LintMoment): void {
    if (this.#count === 0) {
      this.#first = at;
      this.#deadline.set(at.atUs + ACK_US);
    }
    this.#count += 1;
  }

  answered(at: LintMoment): void {
    if (this.#count === 0) {
      const message = `expected ${this.#answer} only as an answer, got it`;
      this.#world.findings.report('answer-unasked', at, message, 'type');
      return;
    }
    this.#count -= 1;
    if (this.#count === 0) this.clear();
    else this.#deadline.set(at.atUs + ACK_US);
  }

  clear(): void {
    this.#deadline.clear();
    this.#first = null;
  }
}
