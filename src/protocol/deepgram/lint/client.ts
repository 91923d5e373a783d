import { describeIssue, type Parsed } from '../../core/issue.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readClientText, reportIssues, undocumentedFields } from '../../lint/message.ts';
import { hasLoneSurrogate } from '../../lint/payload.ts';
import type { FluxMessage, SpeakMessage } from '../wire/client-frames.ts';
import { reportUnknown } from './address.ts';
import type { CommonRuleId } from './rules.ts';

const TYPE: ReadonlySet<string> = new Set(['type']);
const FIELDS: Readonly<Partial<Record<string, ReadonlySet<string>>>> = {
  Speak: new Set(['type', 'text']),
  Configure: new Set(['type', 'speed']),
  Interrupt: new Set(['type', 'playback_offset']),
};

/** What clients mean with a type that the server refuses. */
export type TypeHints = Readonly<Partial<Record<string, string>>>;

/** Reads a message and reports its faults. @returns null for one that the server refuses */
export function readSentMessage<M extends SpeakMessage | FluxMessage>(
  frame: LintFrame,
  parse: (fields: Fields) => Parsed<M>,
  hints: TypeHints,
  findings: Findings<CommonRuleId>,
): M | null {
  const fields = readClientText(frame, findings);
  if (!fields) return null;
  const parsed = parse(fields);
  if (!parsed.ok) {
    const [issue] = parsed.issues;
    const type = String(fields.type);
    if (issue?.path === 'type') {
      const hint = Object.hasOwn(hints, type) ? `; ${hints[type]}` : '';
      findings.report('unknown-type', frame, `${describeIssue(issue)}${hint}`, { path: 'type' });
    } else reportIssues('client-shape', parsed.issues, frame, findings);
    return null;
  }
  const { value } = parsed;
  reportUnknown('unknown-field', undocumentedFields(fields, FIELDS[value.type] ?? TYPE), frame, findings);
  if (value.type === 'Speak' && hasLoneSurrogate(value.text)) {
    findings.report('lone-surrogate', frame, 'expected whole characters, got half of one', 'text');
  }
  return value;
}
