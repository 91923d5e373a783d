import { describeIssue, type Issue } from '../../core/issue.ts';
import type { LintFrame, LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readClientText, unknownFields } from '../../lint/message.ts';
import { hasLoneSurrogate } from '../../lint/payload.ts';
import { controlShape, type Parsed } from '../wire/client-frames.ts';
import { generationShape, MAX_TEXT_CHARS } from '../wire/generation.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of what a client sends that hold for every Kugel endpoint, whatever went before. */

/** Documented fields that the local server does not use (`facts 1.4`, `3.1`). */
const DOCUMENTED = ['project_id', 'speaker_prefix'];
/** A first entry over this is heard as a pause before the speech. */
const SLOW_FIRST_CHARS = 150;

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
  const value = readClientText(at, findings);
  if (!value) return { message: null, value: {}, context: null };
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
  for (const name of unknownFields(value, known)) {
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
