import { hasHalf } from '#lib/text/halves.ts';
import type { Issue } from '../../core/issue.ts';
import { isFields, without } from '../../core/json-frame.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readClientText, reportIssues, undocumentedFields } from '../../lint/message.ts';
import {
  CLIENT_FIELDS,
  type ClientMessage,
  parseMultiMessage,
  parseStreamMessage,
} from '../wire/client-frames.ts';
import { DELIVERY_SETTINGS } from '../wire/settings.ts';
import type { ElevenLabsRuleId } from './rules.ts';

const DELIVERY: ReadonlySet<string> = new Set(DELIVERY_SETTINGS.map(({ field }) => field));

/** A number in one of the objects of settings. */
const isBeyond = ({ path, found }: Issue): boolean => path.includes('.') && /^-?\d/.test(found);

/** Reads a message without its wrong fields, which are reported. @returns null for one that has no fields */
export function readSentMessage(
  frame: LintFrame,
  findings: Findings<ElevenLabsRuleId>,
  isMulti: boolean,
): ClientMessage | null {
  const fields = readClientText(frame, findings);
  if (!fields) return null;
  const parse = isMulti ? parseMultiMessage : parseStreamMessage;
  let parsed = parse(fields);
  if (!parsed.ok) {
    const { issues } = parsed;
    for (const one of issues)
      reportIssues(isBeyond(one) ? 'out-of-range' : 'client-shape', [one], frame, findings);
    parsed = parse(without(fields, new Set(issues.map(({ path }) => path.split('.', 1)[0] ?? ''))));
  }
  const { voice_settings: nested } = fields;
  const unknown = [
    ...undocumentedFields(fields, isMulti ? CLIENT_FIELDS.multi : CLIENT_FIELDS.stream),
    ...(isFields(nested) ? undocumentedFields(nested, DELIVERY).map((name) => `voice_settings.${name}`) : []),
  ];
  for (const name of unknown) {
    // The value may be a key under a wrong name, so the message must not contain it.
    findings.once('unknown-field', frame, 'expected a documented field, got another', name, `field ${name}`);
  }
  if (!parsed.ok) return null;
  if (hasHalf(parsed.value.text ?? '')) {
    findings.report('lone-surrogate', frame, 'expected whole characters, got half of one', 'text');
  }
  return parsed.value;
}
