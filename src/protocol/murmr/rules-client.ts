import type { Findings } from '../rules/findings.ts';
import { MAX_MESSAGE_BYTES, payloadBytes, readObject } from '../rules/payload.ts';
import type { LintFrame, LintMoment } from '../rules/rule.ts';
import { type ClientMessage, parseClientMessage } from './client-frames.ts';
import type { MurmrRuleId } from './rules.ts';

/** Rules of the shape of what a client sends, whatever went before. */

const MAX_UNKNOWN = 8;

/** Fields of client messages (`facts 6.1`). */
const FIELDS: Readonly<Record<ClientMessage['type'], ReadonlySet<string>>> = {
  config: new Set(['type', 'api_key', 'voice_description', 'voice', 'voice_clone_prompt', 'language']),
  text: new Set(['type', 'text']),
  flush: new Set(['type']),
  binary_mode: new Set(['type', 'enabled']),
  ping: new Set(['type']),
};

/** @returns null where the server refuses it; that is reported */
export function readClientMessage(frame: LintFrame, findings: Findings<MurmrRuleId>): ClientMessage | null {
  if (typeof frame.payload !== 'string') {
    const { byteLength } = frame.payload;
    findings.report('binary-message', frame, `expected a text message, got ${byteLength} bytes of binary`);
    return null;
  }
  const bytes = payloadBytes(frame.payload);
  if (bytes > MAX_MESSAGE_BYTES) {
    findings.report('message-too-big', frame, `expected at most ${MAX_MESSAGE_BYTES} bytes, got ${bytes}`);
    return null;
  }
  const read = readObject(frame.payload);
  if ('problem' in read) {
    findings.report('not-json', frame, read.problem);
    return null;
  }
  const parsed = parseClientMessage(frame.payload);
  if (!parsed.ok) {
    const path = /^[\w.]+(?=: )/.exec(parsed.problem)?.[0];
    findings.report('client-shape', frame, parsed.problem, path === undefined ? {} : { path });
    return null;
  }
  adviseOnFields(parsed.value, read.value, frame, findings);
  return parsed.value;
}

function adviseOnFields(
  message: ClientMessage,
  value: object,
  at: LintMoment,
  findings: Findings<MurmrRuleId>,
): void {
  const known = FIELDS[message.type];
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  for (const field of unknown.slice(0, MAX_UNKNOWN)) {
    const path = field.slice(0, 64);
    // What stands in it may be a key under a wrong name, so it is not repeated.
    const found = `${path}: expected a documented field of ${message.type}, got another`;
    findings.report('unknown-field', at, found, { path });
  }
}
