import type { Parsed } from '../../core/issue.ts';
import { type Fields, frameCheck, parserOf, typedFrames } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { clonePrompt, description, realtimeSettings, voiceIssues } from './settings.ts';

/** Messages of the client of `/v1/realtime`. The first is `config`. */

/** Beyond any key, which a session keeps. Ours. */
const MAX_KEY_CHARS = 1000;

export const CLIENT_FRAMES = typedFrames({
  config: {
    api_key: z.string().check(z.maxLength(MAX_KEY_CHARS)),
    voice_description: z.optional(description),
    voice: z.optional(z.string()),
    voice_clone_prompt: z.optional(clonePrompt),
    // Unknown names, such as ISO codes, fall back to detection (murmr-text-9).
    language: z.optional(z.string()),
  },
  text: { text: z.string() },
  flush: {},
  binary_mode: {},
  ping: {},
});

export type ConfigMessage = z.output<typeof CLIENT_FRAMES.config>;
export type ClientMessage = z.output<(typeof CLIENT_FRAMES)[keyof typeof CLIENT_FRAMES]>;

const parseTyped = parserOf(CLIENT_FRAMES, realtimeSettings);

/** Validates a message. Ignores unknown fields. */
export function parseClientFields(fields: Fields): Parsed<ClientMessage> {
  const parsed = parseTyped(fields);
  const issues = parsed.ok && parsed.value.type === 'config' ? voiceIssues(parsed.value) : [];
  return issues.length > 0 ? { ok: false, issues } : parsed;
}

export const clientFrameIssues = frameCheck(parseClientFields);
