import type { Fields } from '../../core/json-frame.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import { ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { readShape, reportIssues } from '../../lint/message.ts';
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

class ParrotCheck extends ConnectionCheck<ParrotRuleId> {
  readonly turns = null;
  isBusy = false;
  #endedAt: LintMoment | null = null;
  #cancelledAt: LintMoment | null = null;

  sent(fields: Fields | null): void {
    if (!fields) return;
    const issues = clientFieldIssues(fields);
    reportIssues('client-shape', issues, this);
    if (issues.length > 0) return;
    const kind = clientKindOf(fields);
    if (kind === 'end' || kind === 'cancel') this.#endedAt ??= this.now;
    else if (kind === 'text' && this.#endedAt) {
      this.report('text-after-end', 'expected none, got text', { field: 'text', related: this.#endedAt });
    } else this.isBusy = true;
  }

  override audio(bytes: number): void {
    const related = this.#cancelledAt;
    if (related) this.report('audio-after-cancel', `expected no audio, got ${bytes} bytes`, { related });
  }

  received(fields: Fields | null): void {
    const kind = fields && serverKindOf(fields);
    if (kind) readShape(SERVER_FRAMES[kind], fields, this);
    if (kind === 'cancelled') {
      this.#cancelledAt = this.now;
      this.isBusy = false;
    }
  }
}
