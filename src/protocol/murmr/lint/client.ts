import type { LintFrame } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { readClientText, unknownFields } from '../../lint/message.ts';
import { type ClientMessage, parseClientObject } from '../wire/client-frames.ts';
import type { MurmrRuleId } from './rules.ts';

/** Rules of the shape of what a client sends, whatever went before. */

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
  const value = readClientText(frame, findings);
  if (!value) return null;
  const parsed = parseClientObject(value);
  if (!parsed.ok) {
    const path = /^[\w.]+(?=: )/.exec(parsed.problem)?.[0];
    findings.report('client-shape', frame, parsed.problem, path === undefined ? {} : { path });
    return null;
  }
  const { type } = parsed.value;
  for (const path of unknownFields(value, FIELDS[type])) {
    // What stands in it may be a key under a wrong name, so it is not repeated.
    findings.report('unknown-field', frame, `${path}: expected a documented field of ${type}, got another`, {
      path,
    });
  }
  return parsed.value;
}
