import { describeIssues } from '../../core/issue.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readClientText, undocumentedFields } from '../../lint/message.ts';
import { CLIENT_FRAMES, type ClientMessage, parseClientFields } from '../wire/client-frames.ts';
import type { MurmrRuleId } from './rules.ts';

/** Rules of single client messages. */

/** @returns null where the server refuses it, after a report */
export function readClientMessage(frame: LintFrame, findings: Findings<MurmrRuleId>): ClientMessage | null {
  const fields = readClientText(frame, findings);
  if (!fields) return null;
  const parsed = parseClientFields(fields);
  if (!parsed.ok) {
    const path = parsed.issues[0]?.path ?? '';
    findings.report('client-shape', frame, describeIssues(parsed.issues), { path });
    return null;
  }
  const { type } = parsed.value;
  for (const field of undocumentedFields(fields, new Set(Object.keys(CLIENT_FRAMES[type].shape)))) {
    // The value may be a key under a wrong name, so the message must not contain it.
    findings.report('unknown-field', frame, `expected a documented field of ${type}, got another`, field);
  }
  return parsed.value;
}
