import { hasHalf } from '#lib/text/halves.ts';
import { describeIssue, type Issue } from '../core/issue.ts';
import {
  type Fields,
  type Frames,
  MAX_MESSAGE_BYTES,
  parseBounded,
  parseBy,
  parseFields,
  schemaOf,
  typeIssue,
} from '../core/json-frame.ts';
import type { z } from '../core/zod.ts';
import type { LintPayload, Reporter } from './check.ts';
import { base64Bytes, payloadBytes } from './payload.ts';
import type { SharedRuleId } from './rule-book.ts';

/** Rules of the form of a message. */

/** Limits for one message, because a faulty client or server may send any number of fields. */
const MAX_UNKNOWN = 8;
const MAX_ISSUES = 8;
const MAX_NAME_CHARS = 64;

/** The fields of a text message; null for any other message, after a report. */
export function readText(
  payload: LintPayload,
  check: Reporter<'binary-message' | SharedRuleId>,
  parse = parseFields,
): Fields | null {
  if (typeof payload !== 'string') {
    check.report('binary-message', `expected a text message, got ${payload.byteLength} bytes of binary`);
    return null;
  }
  const read = parse(payload);
  if ('fields' in read) return read.fields;
  check.report('not-json', `expected a JSON object, got ${read.excerpt}`);
  return null;
}

/** The fields of a client's text message, which has limits of bytes, levels and values. */
export function readClientText(
  payload: LintPayload,
  check: Reporter<'binary-message' | SharedRuleId>,
): Fields | null {
  const bytes = typeof payload === 'string' ? payloadBytes(payload) : 0;
  if (bytes <= MAX_MESSAGE_BYTES) return readText(payload, check, parseBounded);
  check.report('message-too-big', `expected at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
  return null;
}

/** The first unknown field names of a message, shortened. */
export const undocumentedFields = (fields: Fields, known: ReadonlySet<string>): string[] =>
  Object.keys(fields)
    .filter((name) => !known.has(name))
    .slice(0, MAX_UNKNOWN)
    .map((name) => name.slice(0, MAX_NAME_CHARS));

export function reportIssues<Id extends string>(id: Id, issues: readonly Issue[], check: Reporter<Id>): void {
  for (const issue of issues) check.report(id, describeIssue(issue), { path: issue.path });
}

/** @param field of the text, which was cut within a character */
export function reportHalf(text: string, field: string, check: Reporter<'lone-surrogate'>): void {
  if (hasHalf(text)) check.report('lone-surrogate', 'expected whole characters, got half of one', field);
}

/** Validates the fields of a server frame. Null for invalid fields, after a report. */
export function readShape<S extends z.ZodMiniObject>(
  schema: S,
  fields: Fields,
  check: Reporter<'server-shape'>,
): z.output<S> | null {
  const parsed = parseBy(schema, fields);
  if (parsed.ok) return parsed.value;
  reportIssues('server-shape', parsed.issues.slice(0, MAX_ISSUES), check);
  return null;
}

/** Reports each new field of a frame once a connection: a later version of the protocol may have many. */
export function reportNewFields(
  kind: string,
  fields: Fields,
  isKnown: (field: string) => boolean,
  check: Reporter<'new-field'>,
): void {
  for (const field in fields) {
    if (isKnown(field)) continue;
    const name = field.slice(0, MAX_NAME_CHARS);
    const message = `${kind}: expected only known fields, got ${name}`;
    check.once('new-field', message, { path: name }, `${kind}.${name}`);
  }
}

/** The bytes of audio as base64; null without any, or for other text, after a report. */
export function audioBytes(
  base64: string | null,
  field: string,
  check: Reporter<'audio-base64'>,
): number | null {
  const bytes = base64 === null ? null : base64Bytes(base64);
  if (base64 !== null && bytes === null)
    check.report('audio-base64', 'expected base64, got something else', field);
  return bytes;
}

/** The rules of frames by their kind. A kind without any is left out. */
export type FrameRules<F extends Frames> = { readonly [T in keyof F]?: (frame: z.output<F[T]>) => void };

/** @param frame of this kind */
export function applyRules<F extends Frames>(rules: FrameRules<F>, kind: keyof F, frame: unknown): void {
  const rule: ((frame: never) => void) | undefined = rules[kind];
  rule?.(frame as never);
}

/** A server frame by its type. */
export type KnownFrame<F extends Frames> = { [T in keyof F]: { type: T; frame: z.output<F[T]> } }[keyof F];

/**
 * Reads a typed frame of a server and reports its faults.
 * @param isPlain spares a frame the validation
 * @returns at most the type of an unusable one
 */
export function readTypedFrame<F extends Frames>(
  fields: Fields | null,
  frames: F,
  check: Reporter<'unknown-kind' | 'server-shape' | SharedRuleId>,
  isPlain: (fields: Fields) => boolean = () => false,
): KnownFrame<F> | { type: null; of: keyof F | null } {
  const schema = fields && schemaOf(frames, fields.type);
  if (fields && !schema) reportIssues('unknown-kind', [typeIssue(frames, fields)], check);
  if (!schema) return { type: null, of: null };
  const type = String(fields.type);
  const frame = isPlain(fields) ? fields : readShape(schema, fields, check);
  if (!frame) return { type: null, of: type };
  reportNewFields(type, fields, (field) => Object.hasOwn(schema.shape, field), check);
  return { type, frame } as KnownFrame<F>;
}
