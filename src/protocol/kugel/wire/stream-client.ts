import { frameIssues } from '../../core/frame-template.ts';
import { type Issue, issuesOf } from '../../core/issue.ts';
import { integerSetting, numbersSetting, settingsOf, switchSetting } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { audioFormatIssues } from './audio-format.ts';
import {
  controlShape,
  type Parsed,
  parseUpdate,
  pickFields,
  type SettingsUpdate,
  type Values,
} from './client-frames.ts';
import { generationShape, MAX_TEXT_CHARS } from './generation.ts';

/** What the client of `/ws/tts/stream` sends (`facts 2.1`): one object may carry config, text and a control key. */

const CHUNKING = 'Chunking';

/** No text for this long ends an open turn (seed; `facts 2.3.10`). */
export const IDLE_TURN_MS = 5000;

const streamConfigShape = {
  ...generationShape,
  chunk_length_schedule: numbersSetting(1, MAX_TEXT_CHARS, 32, {
    title: 'Schedule',
    group: CHUNKING,
    explanation: 'Characters to have before each chunk is spoken; the last value repeats.',
    fallback: [5, 80, 150, 250],
    unit: 'characters',
  }).optional(),
  auto_mode: switchSetting({
    title: 'Auto mode',
    group: CHUNKING,
    explanation: 'Starts at the first clean sentence boundary and ignores the schedule.',
    fallback: false,
  }).optional(),
  flush_timeout_ms: integerSetting(10, 60_000, {
    title: 'Flush time-out',
    group: CHUNKING,
    explanation: 'Speaks what is buffered after this long without new text; the turn stays open.',
    fallback: 500,
    unit: 'ms',
  }).optional(),
  max_buffer_length: integerSetting(1, MAX_TEXT_CHARS, {
    title: 'Longest buffer',
    group: CHUNKING,
    explanation: 'Characters at which buffered text is spoken in any case.',
    fallback: 1000,
    unit: 'characters',
  }).optional(),
};

const streamConfig = z.looseObject(streamConfigShape);
export const streamSettings = settingsOf(streamConfigShape);

/** A config as validated: numbers clamped. */
export type StreamConfig = Values<typeof streamConfigShape>;

const streamClientFrame = z.looseObject({
  ...streamConfigShape,
  ...controlShape,
  close: z.boolean().optional(),
  end_session: z.boolean().optional(),
});

/** One frame of the client, taken apart; `config` holds only the fields that it carried. */
export interface StreamClientMessage {
  config: StreamConfig;
  text: string | undefined;
  flush: boolean;
  close: boolean;
  closeSocket: boolean;
  cancel: boolean;
  update: SettingsUpdate | undefined;
}

/** Validates one decoded JSON value. Unknown fields are ignored (`facts 1.3.4`); anything wrong refuses the whole frame. */
export function parseStreamMessage(value: unknown): Parsed<StreamClientMessage> {
  const parsed = streamClientFrame.safeParse(value);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, value, streamSettings) };
  const { data } = parsed;
  let update: SettingsUpdate | undefined;
  if (data.update_settings) {
    const checked = parseUpdate(data.update_settings);
    if (!checked.ok) return checked;
    update = checked.value;
  }
  return {
    ok: true,
    value: {
      config: pickFields(data, streamSettings) as StreamConfig,
      text: data.text,
      flush: data.flush === true,
      close: data.close === true || data.end_session === true,
      closeSocket: data.close_socket === true,
      cancel: data.cancel === true,
      update,
    },
  };
}

/** Everything wrong with a config on its own; none where it may be sent. */
export function streamConfigIssues(value: unknown): Issue[] {
  const parsed = streamConfig.safeParse(value);
  if (!parsed.success) return issuesOf(parsed.error, value, streamSettings);
  return audioFormatIssues(parsed.data);
}

/** Everything wrong with one text message on its own; none where it may be sent. */
export const streamFrameIssues = (text: string): Issue[] =>
  frameIssues(text, (frame) => {
    const parsed = parseStreamMessage(frame);
    return parsed.ok ? audioFormatIssues(parsed.value.config) : parsed.issues;
  });
