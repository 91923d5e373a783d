import { describeIssues, issuesOf, type Parsed, shown } from '../../core/issue.ts';
import { type Fields, frameCheck, parseBounded } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { clonePrompt, description, realtimeSettings, voiceIssues } from './settings.ts';

/** Messages of the client of `/v1/realtime` (seed; `facts 6.1`). The first is `config`. */

const configFrame = z.looseObject({
  type: z.literal('config'),
  api_key: z.string(),
  voice_description: z.optional(description),
  voice: z.optional(z.string()),
  voice_clone_prompt: z.optional(clonePrompt),
  // Unknown names, such as ISO codes, fall back to detection (`facts 6.1`).
  language: z.optional(z.string()),
});

const FRAMES = {
  config: configFrame,
  text: z.looseObject({ type: z.literal('text'), text: z.string() }),
  flush: z.looseObject({ type: z.literal('flush') }),
  binary_mode: z.looseObject({ type: z.literal('binary_mode') }),
  ping: z.looseObject({ type: z.literal('ping') }),
} as const;

export type ConfigMessage = z.output<typeof configFrame>;
export type ClientMessage = z.output<(typeof FRAMES)[keyof typeof FRAMES]>;

/** Validates a text message. Ignores unknown fields. */
export function parseClientMessage(
  message: string,
): { ok: true; value: ClientMessage } | { ok: false; problem: string } {
  const read = parseBounded(message);
  if (!('fields' in read)) return { ok: false, problem: `expected a JSON object, got ${read.kind}` };
  const parsed = parseClientFields(read.fields);
  return parsed.ok ? parsed : { ok: false, problem: describeIssues(parsed.issues) };
}

export function parseClientFields(value: Fields): Parsed<ClientMessage> {
  const { type } = value;
  if (!isType(type)) {
    const expected = `one of ${Object.keys(FRAMES).join(', ')}`;
    return { ok: false, issues: [{ path: 'type', expected, found: shown(type) }] };
  }
  const parsed = FRAMES[type].safeParse(value);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, value, realtimeSettings) };
  const issues = parsed.data.type === 'config' ? voiceIssues(parsed.data) : [];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: parsed.data };
}

const isType = (type: unknown): type is keyof typeof FRAMES =>
  typeof type === 'string' && Object.hasOwn(FRAMES, type);

export const clientFrameIssues = frameCheck(parseClientFields);
