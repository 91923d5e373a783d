import type { Parsed } from '../../core/issue.ts';
import { type Fields, frameCheck, parseBy, without } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import {
  controlShape,
  onWire,
  pickFields,
  readUpdate,
  type SettingsUpdate,
  type Values,
} from './client-frames.ts';
import { audioFormatIssues, chunkingShape, streamConfigShape, streamSettings } from './settings.ts';

/** Client frames of `/ws/tts/stream`. One object may carry config, text and a control key. */

/** A validated config with clamped numbers. */
export type StreamConfig = Values<typeof streamConfigShape>;

/** Merges a message into the sticky config. A newer codec replaces an older rate, and a newer rate an older codec. */
export function mergeConfig(sticky: StreamConfig, config: StreamConfig): StreamConfig {
  const next = { ...sticky, ...config };
  if (config.output_format !== undefined && config.sample_rate === undefined) delete next.sample_rate;
  if (config.sample_rate !== undefined && config.output_format === undefined) delete next.output_format;
  return next;
}

const endShape = { close: z.optional(z.boolean()), end_session: z.optional(z.boolean()) };

/** Fields that `/ws/tts` lacks. */
const STREAM_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys({ ...chunkingShape, ...endShape }),
  ...['flush', 'close_socket'],
]);

export const streamClientFrame = z.looseObject({
  ...onWire(streamConfigShape),
  ...controlShape,
  ...endShape,
});

/** One client frame by its parts. `config` holds only the fields of the frame. */
export interface StreamClientMessage {
  config: StreamConfig;
  text: string | undefined;
  flush: boolean;
  close: boolean;
  closeSocket: boolean;
  cancel: boolean;
  update: SettingsUpdate | undefined;
}

/** Validates one message. Ignores unknown fields (kugel-message-3); one wrong field refuses the whole frame. */
export function parseStreamMessage(fields: Fields): Parsed<StreamClientMessage> {
  const parsed = parseBy(streamClientFrame, fields, streamSettings);
  if (!parsed.ok) return parsed;
  const { value: data } = parsed;
  const update = readUpdate(data.update_settings);
  if (!update.ok) return update;
  return {
    ok: true,
    value: {
      config: pickFields(data, streamSettings) as StreamConfig,
      text: data.text,
      flush: data.flush === true,
      close: data.close === true || data.end_session === true,
      closeSocket: data.close_socket === true,
      cancel: data.cancel === true,
      update: update.value,
    },
  };
}

export const streamFrameIssues = frameCheck(parseStreamMessage, ({ config }) => audioFormatIssues(config));

/** Client frames of `/ws/tts`: a request with its whole text and its settings, or a control key. */

export const ttsClientFrame = z.looseObject(
  without(streamClientFrame.shape, STREAM_FIELDS) as z.core.$ZodLooseShape,
);

/**
 * Validates one message. A request is a frame of the stream that ends its turn; fields of the stream alone are unknown
 * here and ignored (kugel-message-54).
 */
export function parseTtsMessage(fields: Fields): Parsed<StreamClientMessage> {
  const parsed = parseStreamMessage(without(fields, STREAM_FIELDS));
  if (!parsed.ok) return parsed;
  const { text, cancel, update } = parsed.value;
  const isControl = text === undefined && (cancel || update !== undefined);
  if (isControl || text?.trim()) return { ok: true, value: { ...parsed.value, close: text !== undefined } };
  return { ok: false, issues: [{ path: 'text', expected: 'a text to speak', found: 'none' }] };
}

export const ttsFrameIssues = frameCheck(parseTtsMessage, ({ config }) => audioFormatIssues(config));
