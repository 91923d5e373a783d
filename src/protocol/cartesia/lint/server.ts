import { issuesOf } from '../../core/issue.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readText, reportNewFields } from '../../lint/message.ts';
import { base64Bytes } from '../../lint/payload.ts';
import { isServerFrameType, SERVER_FRAMES, type ServerFrameType, type Timed } from '../wire/server-frames.ts';
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

/** A frame. Wrong fields are null. */
export interface ReadServerFrame {
  type: ServerFrameType;
  context: string | null;
  status: number | null;
  flushId: number | null;
  /** Of its audio. */
  bytes: number | null;
  /** Of words or phonemes, by the path of their lists. */
  times: { path: string; list: Timed & Fields } | null;
}

/** Reads a server frame and reports its faults. @returns null for an unreadable one */
export function readReceivedFrame(
  at: LintFrame,
  findings: Findings<CartesiaRuleId>,
  version: Version | null,
): ReadServerFrame | null {
  const fields = readText(at, findings);
  if (!fields) return null;
  const { type, context_id: id, data, done, status_code, flush_id } = fields;
  const context = typeof id === 'string' ? id : null;
  if (typeof type !== 'string' || (context === null && type !== 'error')) {
    const field = typeof type === 'string' ? 'context_id' : 'type';
    findings.once(
      'frame-unnamed',
      at,
      'expected one in every frame, got none',
      { context, field },
      `no ${field}`,
    );
  }
  if (!isServerFrameType(type)) {
    const message = `expected a documented type, got ${String(type).slice(0, 40)}`;
    if (typeof type === 'string') findings.once('unknown-kind', at, message, { context, path: 'type' });
    return null;
  }
  const report = (rule: CartesiaRuleId, message: string, path: string) =>
    findings.once(rule, at, `${path}: ${message}`, { context, path }, `${rule} ${type} ${path}`);
  const schema = SERVER_FRAMES[type];
  reportNewFields(type, fields, (field) => Object.hasOwn(schema.shape, field), at, findings);
  const absent = REQUIRED[type].filter((key) => fields[key] === undefined || fields[key] === null);
  for (const key of absent) report('keys-missing', `expected it in ${type}, got none`, key);
  const parsed = schema.safeParse(fields);
  for (const issue of parsed.success ? [] : issuesOf(parsed.error, fields).slice(0, 8)) {
    const { path, expected, found } = issue;
    if (![...absent, 'context_id'].includes(path))
      report('server-shape', `expected ${expected}, got ${found}`, path);
  }
  const base64 = type === 'chunk' && typeof data === 'string' ? data : null;
  const bytes = base64 === null ? null : base64Bytes(base64);
  if (base64 !== null && bytes === null)
    report('server-shape', 'expected base64, got something else', 'data');
  const status = typeof status_code === 'number' ? status_code : null;
  const ends = type === 'done' || type === 'error';
  if (done === !ends) report('flags-mismatch', `expected ${ends} in ${type}, got ${done}`, 'done');
  const fits = type === 'error' ? Number(status) >= 400 : status === 206 || (ends && status === 200);
  if (status !== null && !fits)
    report('flags-mismatch', `expected another in ${type}, got it`, 'status_code');
  if (type === 'error') {
    const { error, title, message } = fields;
    const isStructured = typeof title === 'string' && typeof message === 'string';
    const needsStructure =
      version === null ? typeof error !== 'string' : versionTraits(version).hasStructuredErrors;
    const isReadable = needsStructure ? isStructured : typeof error === 'string';
    if (!isReadable)
      report('error-shape', 'expected it in this version, got none', needsStructure ? 'title' : 'error');
  }
  const path = ['word_timestamps', 'phoneme_timestamps'].find((name) => isFields(fields[name]));
  return {
    type,
    context,
    status,
    bytes,
    flushId: parsed.success && typeof flush_id === 'number' ? flush_id : null,
    times: parsed.success && path !== undefined ? { path, list: fields[path] as Timed & Fields } : null,
  };
}
