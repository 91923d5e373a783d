import { shown } from '../../core/issue.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readShape, readText, reportNewFields } from '../../lint/message.ts';
import type { Frames, TypedFrame } from '../wire/decode.ts';
import { readWarning } from '../wire/server-frames.ts';
import type { CommonRuleId } from './rules.ts';

/** Reads a text message of the server and reports its faults. @returns null for an unreadable one */
export function readReceivedFrame<F extends Frames>(
  at: LintFrame,
  frames: F,
  findings: Findings<CommonRuleId>,
): TypedFrame<F> | null {
  const fields = readText(at, findings);
  if (!fields) return null;
  const { type } = fields;
  const schema = typeof type === 'string' && Object.hasOwn(frames, type) ? frames[type] : undefined;
  if (!schema) {
    const message = `expected one of ${Object.keys(frames).join(', ')}, got ${shown(type)}`;
    findings.report('unknown-kind', at, message, 'type');
    return null;
  }
  const frame = readShape(schema, fields, at, findings);
  if (!frame) return null;
  reportNewFields(String(type), fields, (field) => Object.hasOwn(schema.shape, field), at, findings);
  if (type === 'Warning' && readWarning(frame as Parameters<typeof readWarning>[0]).code === null) {
    findings.report('warning-without-code', at, 'expected warn_code or code, got neither');
  }
  return { type, frame, rest: {} } as unknown as TypedFrame<F>;
}
