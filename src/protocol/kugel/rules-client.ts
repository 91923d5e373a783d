import { describeIssue, type Issue } from '../issue.ts';
import type { Findings } from '../rules/findings.ts';
import { hasLoneSurrogate, MAX_MESSAGE_BYTES, payloadBytes, readObject } from '../rules/payload.ts';
import type { LintFrame, LintMoment } from '../rules/rule.ts';
import { controlShape, type Parsed } from './client-frames.ts';
import { generationShape, MAX_TEXT_CHARS } from './generation.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of what a client sends that hold for every Kugel endpoint, whatever went before. */

/** Documented fields that the local server does not use (`facts 1.4`, `3.1`). */
const DOCUMENTED = ['project_id', 'speaker_prefix'];
/** A first entry over this is heard as a pause before the speech. */
const SLOW_FIRST_CHARS = 150;
const MAX_UNKNOWN = 8;

/** The names that the frames of an endpoint may have. */
export const knownFields = (...names: Iterable<string>[]): ReadonlySet<string> =>
  new Set([...Object.keys(controlShape), ...DOCUMENTED, ...names.flatMap((some) => [...some])]);

/** A client frame as the server reads it. */
export interface ClientFrame<T> {
  /** Null where the server refuses it; that is reported. */
  message: T | null;
  value: Readonly<Record<string, unknown>>;
  /** The context that it names, in whatever form it is. */
  context: string | null;
}

export function readClientFrame<T>(
  at: LintFrame,
  findings: Findings<KugelRuleId>,
  known: ReadonlySet<string>,
  parse: (value: unknown) => Parsed<T>,
): ClientFrame<T> {
  if (typeof at.payload !== 'string') {
    const { byteLength } = at.payload;
    findings.report('binary-message', at, `expected a text message, got ${byteLength} bytes of binary`);
    return UNREADABLE;
  }
  const bytes = payloadBytes(at.payload);
  if (bytes > MAX_MESSAGE_BYTES) {
    findings.report('message-too-big', at, `expected at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
    return UNREADABLE;
  }
  const read = readObject(at.payload);
  if ('problem' in read) {
    findings.report('not-json', at, read.problem);
    return UNREADABLE;
  }
  const value = read.value as Readonly<Record<string, unknown>>;
  const context = typeof value.context_id === 'string' ? value.context_id : null;
  const parsed = parse(value);
  const isTooLong = typeof value.text === 'string' && value.text.length > MAX_TEXT_CHARS;
  if (isTooLong) {
    const chars = String(value.text).length;
    findings.report(
      'text-too-long',
      at,
      `text: expected at most ${MAX_TEXT_CHARS} characters, got ${chars}`,
      {
        context,
        path: 'text',
      },
    );
  }
  if (!parsed.ok) {
    const issues = parsed.issues.filter(({ path }) => !(isTooLong && path === 'text'));
    reportIssues(issues, at, findings, context);
    return { message: null, value, context };
  }
  adviseOnFields(value, at, findings, known, context);
  return { message: parsed.value, value, context };
}

const UNREADABLE = { message: null, value: {}, context: null };

export function reportIssues(
  issues: readonly Issue[],
  at: LintMoment,
  findings: Findings<KugelRuleId>,
  context: string | null,
): void {
  for (const issue of issues) {
    findings.report('client-shape', at, describeIssue(issue), { context, path: issue.path });
  }
}

function adviseOnFields(
  value: Readonly<Record<string, unknown>>,
  at: LintMoment,
  findings: Findings<KugelRuleId>,
  known: ReadonlySet<string>,
  context: string | null,
): void {
  const unknown = Object.keys(value).filter((field) => !known.has(field));
  for (const field of unknown.slice(0, MAX_UNKNOWN)) {
    const name = field.slice(0, 64);
    // What stands in it may be a key under a wrong name, so it is not repeated.
    findings.report('unknown-field', at, `${name}: expected a documented field, got another`, {
      context,
      path: name,
    });
  }
  if (typeof value.text === 'string' && hasLoneSurrogate(value.text)) {
    findings.report('lone-surrogate', at, 'text: expected whole characters, got half of one', {
      context,
      path: 'text',
    });
  }
  for (const place of ['', 'voice_settings', 'update_settings']) {
    const holder = place === '' ? value : value[place];
    if (isRecord(holder)) {
      checkClamped(holder.cfg_scale, `${place === '' ? '' : `${place}.`}cfg_scale`, at, findings, context);
    }
  }
  const { auto_mode: autoMode, chunk_length_schedule: schedule } = value;
  if (!Array.isArray(schedule)) return;
  if (autoMode === true) {
    findings.report(
      'auto-mode-schedule',
      at,
      'chunk_length_schedule: expected none with auto_mode, got one',
      { context, path: 'chunk_length_schedule' },
    );
  } else if (Number(schedule[0]) > SLOW_FIRST_CHARS) {
    findings.report(
      'slow-start',
      at,
      `chunk_length_schedule.0: expected at most ${SLOW_FIRST_CHARS} characters for an early start, got ${schedule[0]}`,
      { context, path: 'chunk_length_schedule.0' },
    );
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function checkClamped(
  scale: unknown,
  path: string,
  at: LintMoment,
  findings: Findings<KugelRuleId>,
  context: string | null,
): void {
  if (typeof scale !== 'number') return;
  const used = generationShape.cfg_scale.parse(scale);
  if (used === scale) return;
  findings.report('clamped', at, `${path}: expected a value in its range, got ${scale}; ${used} is used`, {
    context,
    path,
  });
}
