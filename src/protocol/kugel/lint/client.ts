import { hasHalf } from '#lib/text/halves.ts';
import { type Issue, type Parsed, shown } from '../../core/issue.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import type { LintFrame, LintMoment } from '../../core/rule.ts';
import type { Setting } from '../../core/settings.ts';
import type { Findings, ReportFinding } from '../../lint/findings.ts';
import { readClientText, reportIssues, undocumentedFields } from '../../lint/message.ts';
import { controlShape } from '../wire/client-frames.ts';
import { generationShape, MAX_TEXT_CHARS } from '../wire/generation.ts';
import { contextSettings, deliverySettings, sessionSettings } from '../wire/multi-settings.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of single client frames of the Kugel endpoints. */

/** Documented fields that the local server does not use (`facts 1.4`, `3.1`). */
const DOCUMENTED = ['speaker_prefix'];
/** A larger first entry causes an audible pause before the speech. */
const SLOW_FIRST_CHARS = 150;

/** The field names of an endpoint's frames. */
export const knownFields = (settings: readonly Setting[], names: readonly string[]): ReadonlySet<string> =>
  new Set([...Object.keys(controlShape), ...DOCUMENTED, ...settings.map(({ field }) => field), ...names]);

/** The last four are fields that an official client may put there (`facts 3.1`). */
const NESTED = knownFields(
  [...sessionSettings, ...contextSettings],
  ['inactivity_timeout', 'stability', 'similarity_boost', 'style', 'use_speaker_boost'],
);
const DELIVERY: ReadonlySet<string> = new Set(deliverySettings.map(({ field }) => field));
const MAX_NESTED = 8;

/** A client frame as the server reads it. */
export interface ClientFrame<T> {
  /** Null where the server refuses it, which is reported. */
  message: T | null;
  fields: Fields;
  /** The context that it names. */
  context: string | null;
}

export function readClientFrame<T>(
  at: LintFrame,
  findings: Findings<KugelRuleId>,
  known: ReadonlySet<string>,
  parse: (fields: Fields) => Parsed<T>,
): ClientFrame<T> {
  const fields = readClientText(at, findings);
  if (!fields) return { message: null, fields: {}, context: null };
  const context = typeof fields.context_id === 'string' ? fields.context_id : null;
  const report = findings.in(context);
  const parsed = parse(fields);
  const chars = typeof fields.text === 'string' ? fields.text.length : 0;
  const isTooLong = chars > MAX_TEXT_CHARS;
  if (isTooLong) {
    report('text-too-long', at, `expected at most ${MAX_TEXT_CHARS} characters, got ${chars}`, 'text');
  }
  if (parsed.ok) adviseOnFields(fields, at, report, known);
  else {
    const issues = parsed.issues.filter(({ path }) => !(isTooLong && path === 'text'));
    reportRefusal(issues, at, findings, context);
  }
  return { message: parsed.ok ? parsed.value : null, fields, context };
}

/** Reports why the server refuses a frame. */
export const reportRefusal = (
  issues: readonly Issue[],
  at: LintMoment,
  findings: Findings<KugelRuleId>,
  context: string | null,
): void => reportIssues('client-shape', issues, at, findings, context);

function adviseOnFields(
  fields: Fields,
  at: LintFrame,
  report: ReportFinding<KugelRuleId>,
  known: ReadonlySet<string>,
): void {
  for (const field of undocumentedFields(fields, known)) {
    // The value may be a key under a wrong name, so the message must not contain it.
    report('unknown-field', at, 'expected a documented field, got another', field);
  }
  if (typeof fields.text === 'string' && hasHalf(fields.text)) {
    report('lone-surrogate', at, 'expected whole characters, got half of one', 'text');
  }
  checkClamped(fields.cfg_scale, 'cfg_scale', at, report);
  for (const place of ['voice_settings', 'update_settings']) {
    const nested = fields[place];
    if (isFields(nested)) checkClamped(nested.cfg_scale, `${place}.cfg_scale`, at, report);
  }
  const { auto_mode: autoMode, chunk_length_schedule: schedule } = fields;
  if (!Array.isArray(schedule)) return;
  if (autoMode === true) {
    report('auto-mode-schedule', at, 'expected none with auto_mode, got one', 'chunk_length_schedule');
  } else if (Number(schedule[0]) > SLOW_FIRST_CHARS) {
    const message = `expected at most ${SLOW_FIRST_CHARS} characters for an early start, got ${schedule[0]}`;
    report('slow-start', at, message, 'chunk_length_schedule.0');
  }
}

function checkClamped(
  scale: unknown,
  field: string,
  at: LintFrame,
  report: ReportFinding<KugelRuleId>,
): void {
  if (typeof scale !== 'number') return;
  const used = generationShape.cfg_scale.parse(scale);
  if (used === scale) return;
  report('clamped', at, `expected a value in its range, got ${scale}; ${used} is used`, field);
}

/** @param nested the value of `voice_settings`, which may be anything */
export function adviseOnVoice(nested: unknown, at: LintMoment, report: ReportFinding<KugelRuleId>): void {
  if (!isFields(nested)) return;
  const wrong = Object.entries(nested).filter(([name]) => DELIVERY.has(name) || !NESTED.has(name));
  for (const [name, found] of wrong.slice(0, MAX_NESTED)) {
    const field = `voice_settings.${name.slice(0, 64)}`;
    if (DELIVERY.has(name)) {
      const message = `expected it at the top level of the frame, got ${shown(found)} here`;
      report('nested-delivery', at, message, field);
    } else report('unknown-field', at, 'expected a documented field, got another', field);
  }
}
