import type { LintFrame } from '../core/rule.ts';
import type { Findings } from './findings.ts';
import { MAX_MESSAGE_BYTES, payloadBytes, readObject } from './payload.ts';
import type { SharedRuleId } from './rule-book.ts';

/** Rules of the form of a message, before anybody looks at its fields. */

type Value = Readonly<Record<string, unknown>>;

/** Fields of one message that are told. */
const MAX_UNKNOWN = 8;
const MAX_NAME_CHARS = 64;

/** The object of a message that has to be text; null where it has none, which is reported. */
export function readText(at: LintFrame, findings: Findings<'binary-message' | SharedRuleId>): Value | null {
  if (typeof at.payload !== 'string') {
    const { byteLength } = at.payload;
    findings.report('binary-message', at, `expected a text message, got ${byteLength} bytes of binary`);
    return null;
  }
  const read = readObject(at.payload);
  if ('value' in read) return read.value as Value;
  findings.report('not-json', at, read.problem);
  return null;
}

/** The same of what a client sent, which has a limit. */
export function readClientText(
  at: LintFrame,
  findings: Findings<'binary-message' | SharedRuleId>,
): Value | null {
  const bytes = typeof at.payload === 'string' ? payloadBytes(at.payload) : 0;
  if (bytes <= MAX_MESSAGE_BYTES) return readText(at, findings);
  findings.report('message-too-big', at, `expected at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
  return null;
}

/** Names of fields that are not among the known ones: the first few, as far as they are worth repeating. */
export const unknownFields = (value: Value, known: ReadonlySet<string>): string[] =>
  Object.keys(value)
    .filter((name) => !known.has(name))
    .slice(0, MAX_UNKNOWN)
    .map((name) => name.slice(0, MAX_NAME_CHARS));
