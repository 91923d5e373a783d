import type { Parsed } from '../../core/issue.ts';
import { frameCheck, isFields, without } from '../../core/json-frame.ts';
import { audioFormatIssues } from './audio-format.ts';
import { parseStreamMessage, STREAM_FIELDS, type StreamClientMessage } from './stream-client.ts';

/** Client frames of `/ws/tts` (`facts 4`): a request with its whole text and its settings, or a control key. */

/**
 * Validates one JSON value. A request is a frame of the stream that ends its turn; fields of the stream alone are unknown
 * here and ignored (`facts 1.3.4`, `4.4`).
 */
export function parseTtsMessage(value: unknown): Parsed<StreamClientMessage> {
  const parsed = parseStreamMessage(isFields(value) ? without(value, STREAM_FIELDS) : value);
  if (!parsed.ok) return parsed;
  const { text, cancel, update } = parsed.value;
  const isControl = text === undefined && (cancel || update !== undefined);
  if (isControl || text?.trim()) return { ok: true, value: { ...parsed.value, close: text !== undefined } };
  return { ok: false, issues: [{ path: 'text', expected: 'a text to speak', found: 'none' }] };
}

export const ttsFrameIssues = frameCheck(parseTtsMessage, ({ config }) => audioFormatIssues(config));
