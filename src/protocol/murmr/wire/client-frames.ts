import { describeIssues, type Parsed } from '../../core/issue.ts';
import { type Fields, frameCheck, parseBounded, parserOf, typedFrames } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { clonePrompt, description, realtimeSettings, voiceIssues } from './settings.ts';

/** Messages of the client of `/v1/realtime` (seed; `facts 6.1`). The first is `config`. */

/** Beyond any key, which a session keeps. Ours. */
const MAX_KEY_CHARS = 1000;

export const CLIENT_FRAMES = typedFrames({
  config: {
    api_key: z.string().check(z.maxLength(MAX_KEY_CHARS)),
    voice_description: z.optional(description),
    voice: z.optional(z.string()),
    voice_clone_prompt: z.optional(clonePrompt),
    // Unknown names, such as ISO codes, fall back to detection (`facts 6.1`).
    language: z.optional(z.string()),
  },
  text: { text: z.string() },
  flush: {},
  binary_mode: {},
  ping: {},
});

export type ConfigMessage = z.output<typeof CLIENT_FRAMES.config>;
export type ClientMessage = z.output<(typeof CLIENT_FRAMES)[keyof typeof CLIENT_FRAMES]>;

/** Validates a text message. Ignores unknown fields. */
export function parseClientMessage(
  message: string,
): { ok: true; value: ClientMessage } | { ok: false; problem: string } {
  const read = parseBounded(message);
  if (!('fields' in read)) return { ok: false, problem: `expected a JSON object, got ${read.kind}` };
  const parsed = parseClientFields(read.fields);
  return parsed.ok ? parsed : { ok: false, problem: describeIssues(parsed.issues) };
}

const parseTyped = parserOf(CLIENT_FRAMES, realtimeSettings);

export function parseClientFields(fields: Fields): Parsed<ClientMessage> {
  const parsed = parseTyped(fields);
  const issues = parsed.ok && parsed.value.type === 'config' ? voiceIssues(parsed.value) : [];
  return issues.length > 0 ? { ok: false, issues } : parsed;
}

export const clientFrameIssues = frameCheck(parseClientFields);
