import { issuesOf, type Parsed } from '../../core/issue.ts';
import { frameCheck } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { audioFormatIssues } from './audio-format.ts';
import {
  controlShape,
  parseUpdate,
  pickFields,
  type SettingsUpdate,
  type Values,
  withoutNulls,
} from './client-frames.ts';
import { chunkingShape, streamConfigShape, streamSettings } from './stream-settings.ts';

/** Client frames of `/ws/tts/stream` (`facts 2.1`). One object may carry config, text and a control key. */

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

/** Fields that `/ws/tts` lacks (`facts 4`). */
export const STREAM_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys({ ...chunkingShape, ...endShape }),
  ...['flush', 'close_socket'],
]);

const streamClientFrame = z.looseObject({ ...streamConfigShape, ...controlShape, ...endShape });

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

/** Validates one JSON value. Ignores unknown fields (`facts 1.3.4`); one wrong field refuses the whole frame. */
export function parseStreamMessage(value: unknown): Parsed<StreamClientMessage> {
  const fields = withoutNulls(value);
  const parsed = streamClientFrame.safeParse(fields);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, fields, streamSettings) };
  const { data } = parsed;
  const update = parseUpdate(data.update_settings);
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
