import { shown } from '../../core/issue.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readShape, readText, reportNewFields } from '../../lint/message.ts';
import {
  type AnyRealtimeFrame,
  type FrameType,
  isFrameType,
  isPlainChunk,
  REALTIME_FRAMES,
} from '../wire/server-frames.ts';
import type { MurmrRuleId } from './rules.ts';

/** Rules of the shape of the server's text frames. */

/** An unusable frame, by its type where it has one. */
export type Unreadable = { type: null; of: FrameType | null };

/** Reads a text frame and reports its faults. */
export function readServerFrame(
  at: LintFrame,
  findings: Findings<MurmrRuleId>,
): AnyRealtimeFrame | Unreadable {
  const fields = readText(at, findings);
  if (!fields) return { type: null, of: null };
  const { type } = fields;
  if (!isFrameType(type)) {
    const message = `expected one of ${Object.keys(REALTIME_FRAMES).join(', ')}, got ${shown(type)}`;
    findings.report('unknown-kind', at, message, 'type');
    return { type: null, of: null };
  }
  const schema = REALTIME_FRAMES[type];
  const frame = isPlainChunk(fields) ? fields : readShape(schema, fields, at, findings);
  if (!frame) return { type: null, of: type };
  reportNewFields(type, fields, (field) => Object.hasOwn(schema.shape, field), at, findings);
  return { type, frame } as AnyRealtimeFrame;
}
