import { describeIssue, type Issue, issuesOf } from '../core/issue.ts';
import {
  type Fields,
  type Frames,
  MAX_MESSAGE_BYTES,
  parseBounded,
  parseFields,
  schemaOf,
  typeIssue,
} from '../core/json-frame.ts';
import type { LintFrame, LintMoment } from '../core/rule.ts';
import type { z } from '../core/zod.ts';
import type { Findings } from './findings.ts';
import { payloadBytes } from './payload.ts';
import type { SharedRuleId } from './rule-book.ts';

/** Rules of the form of a message. */

/** Limits for one message, because a faulty client or server may send any number of fields. */
const MAX_UNKNOWN = 8;
const MAX_ISSUES = 8;
const MAX_NAME_CHARS = 64;

/** The fields of a text message; null for any other message, after a report. */
export function readText(
  at: LintFrame,
  findings: Findings<'binary-message' | SharedRuleId>,
  parse = parseFields,
): Fields | null {
  if (typeof at.payload !== 'string') {
    const { byteLength } = at.payload;
    findings.report('binary-message', at, `expected a text message, got ${byteLength} bytes of binary`);
    return null;
  }
  const read = parse(at.payload);
  if ('fields' in read) return read.fields;
  findings.report('not-json', at, `expected a JSON object, got ${read.excerpt}`);
  return null;
}

/** The fields of a client's text message, which has limits of bytes, levels and values. */
export function readClientText(
  at: LintFrame,
  findings: Findings<'binary-message' | SharedRuleId>,
): Fields | null {
  const bytes = typeof at.payload === 'string' ? payloadBytes(at.payload) : 0;
  if (bytes <= MAX_MESSAGE_BYTES) return readText(at, findings, parseBounded);
  findings.report('message-too-big', at, `expected at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
  return null;
}

/** The first unknown field names of a message, shortened. */
export const undocumentedFields = (fields: Fields, known: ReadonlySet<string>): string[] =>
  Object.keys(fields)
    .filter((name) => !known.has(name))
    .slice(0, MAX_UNKNOWN)
    .map((name) => name.slice(0, MAX_NAME_CHARS));

export function reportIssues<Id extends string>(
  id: Id,
  issues: readonly Issue[],
  at: LintMoment,
  findings: Findings<Id>,
  context: string | null = null,
): void {
  for (const issue of issues) findings.report(id, at, describeIssue(issue), { context, path: issue.path });
}

/** Validates the fields of a server frame. Null for invalid fields, after a report. */
export function readShape<S extends z.ZodMiniObject>(
  schema: S,
  fields: Fields,
  at: LintMoment,
  findings: Findings<'server-shape'>,
  context: string | null = null,
): z.output<S> | null {
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  reportIssues('server-shape', issuesOf(parsed.error, fields).slice(0, MAX_ISSUES), at, findings, context);
  return null;
}

/** Reports each new field of a frame once a connection: a later version of the protocol may have many. */
export function reportNewFields(
  kind: string,
  fields: Fields,
  isKnown: (field: string) => boolean,
  at: LintMoment,
  findings: Findings<'new-field'>,
): void {
  for (const field in fields) {
    if (isKnown(field)) continue;
    const name = field.slice(0, MAX_NAME_CHARS);
    const message = `${kind}: expected only known fields, got ${name}`;
    findings.once('new-field', at, message, { path: name }, `${kind}.${name}`);
  }
}

/** A server frame by its type. */
export type KnownFrame<F extends Frames> = { [T in keyof F]: { type: T; frame: z.output<F[T]> } }[keyof F];

/**
 * Reads a typed frame of a server and reports its faults.
 * @param isPlain spares a frame the validation
 * @returns at most the type of an unusable one
 */
export function readTypedFrame<F extends Frames>(
  at: LintFrame,
  frames: F,
  findings: Findings<'binary-message' | 'unknown-kind' | 'server-shape' | SharedRuleId>,
  isPlain: (fields: Fields) => boolean = () => false,
): KnownFrame<F> | { type: null; of: keyof F | null } {
  const fields = readText(at, findings);
  const schema = fields && schemaOf(frames, fields.type);
  if (fields && !schema) reportIssues('unknown-kind', [typeIssue(frames, fields)], at, findings);
  if (!schema) return { type: null, of: null };
  const type = String(fields.type);
  const frame = isPlain(fields) ? fields : readShape(schema, fields, at, findings);
  if (!frame) return { type: null, of: type };
  reportNewFields(type, fields, (field) => Object.hasOwn(schema.shape, field), at, findings);
  return { type, frame } as KnownFrame<F>;
}
