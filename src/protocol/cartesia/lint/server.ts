import { describeIssue, parseBy } from '../../core/issue.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readText, reportNewFields } from '../../lint/message.ts';
import { base64Bytes } from '../../lint/payload.ts';
import { type ReadFrame, timesIn } from '../wire/decode.ts';
import { isServerFrameType, SERVER_FRAMES, type ServerFrameType } from '../wire/server-frames.ts';
import { type Version, versionTraits } from '../wire/versions.ts';
import type { CartesiaRuleId } from './rules.ts';

/** Keys that strict clients need besides type, context and those that a schema requires (`facts-cartesia` V4). */
const REQUIRED: Readonly<Record<ServerFrameType, readonly string[]>> = {
  chunk: ['data', 'done', 'status_code', 'step_time'],
  timestamps: ['done', 'status_code', 'word_timestamps'],
  phoneme_timestamps: ['done', 'status_code', 'phoneme_timestamps'],
  flush_done: ['done', 'status_code', 'flush_done', 'flush_id'],
  done: ['done', 'status_code'],
  error: ['status_code'],
};
const MAX_ISSUES = 8;

/** A frame. Wrong fields are null. */
export interface ReceivedFrame {
  type: ServerFrameType;
  context: string | null;
  status: number | null;
  /** Of its audio. */
  bytes: number | null;
  /** Of words or phonemes. */
  times: ReturnType<typeof timesIn>;
}

/** Reads a server frame and reports its faults. @returns null for an unreadable one */
export function readReceivedFrame(
  at: LintFrame,
  findings: Findings<CartesiaRuleId>,
  version: Version | null,
): ReceivedFrame | null {
  const fields = readText(at, findings);
  if (!fields) return null;
  const { type, context_id: id, data, status_code: status } = fields;
  const context = typeof id === 'string' ? id : null;
  const report = (rule: CartesiaRuleId, message: string, path: string) =>
    findings.once(rule, at, message, { context, path }, `${rule} ${type} ${path}`);
  const expect = (rule: CartesiaRuleId, path: string) => report(rule, `${path}: expected it, got none`, path);
  if (typeof type !== 'string') expect('frame-unnamed', 'type');
  else if (context === null && type !== 'error') expect('frame-unnamed', 'context_id');
  if (!isServerFrameType(type)) {
    const name = String(type).slice(0, 40);
    if (typeof type === 'string') report('unknown-kind', `expected a documented type, got ${name}`, 'type');
    return null;
  }
  const schema = SERVER_FRAMES[type];
  reportNewFields(type, fields, (field) => Object.hasOwn(schema.shape, field), at, findings);
  const absent = REQUIRED[type].filter((key) => fields[key] === undefined || fields[key] === null);
  for (const key of absent) expect('keys-missing', key);
  const parsed = parseBy<(typeof SERVER_FRAMES)[ServerFrameType]>(schema, fields);
  for (const issue of parsed.ok ? [] : parsed.issues.slice(0, MAX_ISSUES)) {
    if ([...absent, 'context_id'].includes(issue.path)) continue;
    report('server-shape', describeIssue(issue), issue.path);
  }
  const base64 = type === 'chunk' && typeof data === 'string' ? data : null;
  const bytes = base64 === null ? null : base64Bytes(base64);
  if (base64 !== null && bytes === null) {
    report('server-shape', 'data: expected base64, got something else', 'data');
  }
  if (type === 'error') {
    const isOld = typeof fields.error === 'string';
    const isStructured = typeof fields.title === 'string' && typeof fields.message === 'string';
    const needsStructure = version === null ? !isOld : versionTraits(version).hasStructuredErrors;
    if (!(needsStructure ? isStructured : isOld)) expect('error-shape', needsStructure ? 'title' : 'error');
  }
  const times = parsed.ok ? timesIn({ type, frame: parsed.value, rest: {} } as ReadFrame) : null;
  return { type, context, status: typeof status === 'number' ? status : null, bytes, times };
}
