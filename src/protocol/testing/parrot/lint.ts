import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { readClientText, readShape, readText, reportIssues } from '../../lint/message.ts';
import { inGroup, SHARED_RULES, violation } from '../../lint/rule-book.ts';
import { clientFieldIssues, clientKindOf, SERVER_FRAMES, serverKindOf } from './frames.ts';

const SOURCE = 'made up';

const RULES = {
  ...SHARED_RULES,
  ...inGroup('shape', {
    'binary-message': violation('Binary message of the client', SOURCE, { why: 'Clients send only JSON.' }),
    'client-shape': violation('Client message with a wrong field', SOURCE, { why: 'The server refuses it.' }),
    'server-shape': violation('Server frame with a wrong field', SOURCE, { why: 'Clients cannot read it.' }),
  }),
  ...inGroup('order', {
    'text-after-end': violation('Text after the end', SOURCE, { why: 'The server speaks none of it.' }),
    'audio-after-cancel': violation('Audio after a confirmed cancel', SOURCE, {
      why: 'Clients take it for the next turn.',
    }),
  }),
};

type ParrotRuleId = keyof typeof RULES;

export const openParrotLinter = (): Linter => new ConnectionsLinter(RULES, (world) => new ParrotCheck(world));

class ParrotCheck implements ConnectionCheck {
  readonly turns = null;
  isBusy = false;
  readonly #findings: Findings<ParrotRuleId>;
  #endedAt: LintMoment | null = null;
  #cancelledAt: LintMoment | null = null;

  constructor({ findings }: CheckWorld<ParrotRuleId>) {
    this.#findings = findings;
  }

  sent(frame: LintFrame): void {
    const fields = readClientText(frame, this.#findings);
    if (!fields) return;
    const issues = clientFieldIssues(fields);
    reportIssues('client-shape', issues, frame, this.#findings);
    if (issues.length > 0) return;
    const kind = clientKindOf(fields);
    if (kind === 'end' || kind === 'cancel') this.#endedAt ??= momentOf(frame);
    else if (kind === 'text' && this.#endedAt) {
      const related = this.#endedAt;
      this.#findings.report('text-after-end', frame, 'expected none, got text', { field: 'text', related });
    } else this.isBusy = true;
  }

  received(frame: LintFrame): void {
    if (typeof frame.payload !== 'string') {
      if (!this.#cancelledAt) return;
      const message = `expected no audio, got ${frame.payload.byteLength} bytes`;
      this.#findings.report('audio-after-cancel', frame, message, { related: this.#cancelledAt });
      return;
    }
    const fields = readText(frame, this.#findings);
    const kind = fields && serverKindOf(fields);
    if (kind) readShape(SERVER_FRAMES[kind], fields, frame, this.#findings);
    if (kind === 'cancelled') {
      this.#cancelledAt = momentOf(frame);
      this.isBusy = false;
    }
  }

  closed(_: LintClose): void {}
}
