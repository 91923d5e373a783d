import { wordList } from '#lib/word-list.ts';
import { type Parsed, shown } from '../../core/issue.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import type { Check } from '../../lint/check.ts';
import {
  readShape,
  reportHalf,
  reportIssues,
  reportNewFields,
  undocumentedFields,
} from '../../lint/message.ts';
import { errorNumbers } from '../wire/errors.ts';
import { nestedFields } from '../wire/multi-client.ts';
import {
  type AnyKugelFrame,
  isPlainAudio,
  KUGEL_FRAMES,
  MARKERS,
  type Marker,
} from '../wire/server-frames.ts';
import { deliverySettings, generationShape, MAX_TEXT_CHARS } from '../wire/settings.ts';
import type { KugelRuleId } from './rules.ts';

/** Rules of single messages of the Kugel endpoints. */

/** A larger first entry causes an audible pause before the speech. */
const SLOW_FIRST_CHARS = 150;

const DELIVERY: ReadonlySet<string> = new Set(deliverySettings.map(({ field }) => field));
const MAX_NESTED = 8;

/** The context that a frame names. */
export const namedContext = (fields: Fields | null): string | null =>
  typeof fields?.context_id === 'string' ? fields.context_id : null;

/** Reads a client frame as the server does. @returns null where the server refuses it, after a report */
export function readClientFrame<T>(
  fields: Fields,
  connection: Check<KugelRuleId>,
  known: ReadonlySet<string>,
  parse: (fields: Fields) => Parsed<T>,
): T | null {
  const check = connection.in(namedContext(fields));
  const parsed = parse(fields);
  const chars = typeof fields.text === 'string' ? fields.text.length : 0;
  const isTooLong = chars > MAX_TEXT_CHARS;
  if (isTooLong)
    check.report('text-too-long', `expected at most ${MAX_TEXT_CHARS} characters, got ${chars}`, 'text');
  if (parsed.ok) {
    adviseOnFields(fields, check, known);
    return parsed.value;
  }
  const issues = parsed.issues.filter(({ path }) => !(isTooLong && path === 'text'));
  reportIssues('client-shape', issues, check);
  return null;
}

function adviseOnFields(fields: Fields, check: Check<KugelRuleId>, known: ReadonlySet<string>): void {
  for (const field of undocumentedFields(fields, known)) {
    // The value may be a key under a wrong name, so the message must not contain it.
    check.report('unknown-field', 'expected a documented field, got another', field);
  }
  if (typeof fields.text === 'string') reportHalf(fields.text, 'text', check);
  checkClamped(fields.cfg_scale, 'cfg_scale', check);
  for (const place of ['voice_settings', 'update_settings']) {
    const nested = fields[place];
    if (isFields(nested)) checkClamped(nested.cfg_scale, `${place}.cfg_scale`, check);
  }
  const { auto_mode: autoMode, chunk_length_schedule: schedule } = fields;
  if (!Array.isArray(schedule)) return;
  if (autoMode === true) {
    check.report('auto-mode-schedule', 'expected none with auto_mode, got one', 'chunk_length_schedule');
  } else if (Number(schedule[0]) > SLOW_FIRST_CHARS) {
    const message = `expected at most ${SLOW_FIRST_CHARS} characters for an early start, got ${schedule[0]}`;
    check.report('slow-start', message, 'chunk_length_schedule.0');
  }
}

function checkClamped(scale: unknown, field: string, check: Check<KugelRuleId>): void {
  if (typeof scale !== 'number') return;
  const used = generationShape.cfg_scale.parse(scale);
  if (used !== scale)
    check.report('clamped', `expected a value in its range, got ${scale}; ${used} is used`, field);
}

/** @param nested the value of `voice_settings`, which may be anything */
export function adviseOnVoice(nested: unknown, check: Check<KugelRuleId>): void {
  if (!isFields(nested)) return;
  const wrong = Object.entries(nested).filter(([name]) => !Object.hasOwn(nestedFields.shape, name));
  for (const [name, found] of wrong.slice(0, MAX_NESTED)) {
    const field = `voice_settings.${name.slice(0, 64)}`;
    if (DELIVERY.has(name)) {
      const message = `expected it at the top level of the frame, got ${shown(found)} here`;
      check.report('nested-delivery', message, field);
    } else check.report('unknown-field', 'expected a documented field, got another', field);
  }
}

/** Vendor clients know this marker, whose fields are undocumented (kugel-message-76). */
const TOLERATED = 'session_started';

/** Frames that need a context on the endpoint with contexts. */
const NEEDS_CONTEXT: ReadonlySet<string> = new Set<Marker>(
  wordList('audio word_timestamps generation_started chunk_complete final'),
);

/** Fields outside the schemas that the vendor's clients read. */
const READ_BY_CLIENTS: ReadonlySet<string> = new Set(['retry_after', 'context_id']);

/** A frame with its context; null on the endpoint without contexts. */
export type ServerFrame = AnyKugelFrame & { context: string | null };

/** Reads a server frame. @param known the markers of the endpoint @returns null for an unreadable one, after a report */
export function readServerFrame(
  fields: Fields,
  check: Check<KugelRuleId>,
  known: ReadonlySet<Marker>,
): ServerFrame | null {
  const kinds = MARKERS.filter((marker) => Object.hasOwn(fields, marker));
  const [kind] = kinds;
  if (kind === undefined || !known.has(kind)) {
    if (Object.hasOwn(fields, TOLERATED)) return null;
    const found = Object.keys(fields).slice(0, 5).join(', ') || 'none';
    check.report('unknown-kind', `expected a frame with one of ${[...known].join(', ')}, got ${found}`);
    return null;
  }
  if (kinds.length > 1) check.report('several-kinds', `expected one marker, got ${kinds.join(' and ')}`);
  const context = namedContext(fields);
  const schema = KUGEL_FRAMES[kind];
  const isPlain = kind === 'audio' && isPlainAudio(fields);
  const frame = isPlain ? fields : readShape(schema, fields, check.in(context));
  if (!frame) return null;
  const hasContexts = known.has('context_created');
  if (hasContexts && context === null && NEEDS_CONTEXT.has(kind)) {
    check.report('server-shape', 'expected a string, got nothing', 'context_id');
    return null;
  }
  const isKnown = (field: string) =>
    Object.hasOwn(schema.shape, field) || READ_BY_CLIENTS.has(field) || Object.hasOwn(KUGEL_FRAMES, field);
  reportNewFields(kind, fields, isKnown, check);
  if (kind === 'error') checkError(fields, check.in(context));
  return { kind, frame, context: hasContexts ? context : null } as ServerFrame;
}

function checkError({ error_code: name, code }: Fields, check: Check<KugelRuleId>): void {
  if (typeof name !== 'string' || typeof code !== 'number') {
    const field = typeof name === 'string' ? 'code' : 'error_code';
    check.report('error-incomplete', 'expected it in every error, got nothing', field);
    return;
  }
  const numbers = errorNumbers(name);
  if (numbers && !numbers.includes(code))
    check.report('error-number', `expected ${numbers.join(' or ')} for ${name}, got ${code}`, 'code');
}
