import { z } from 'zod';
import { type Issue, issuesOf } from '../issue.ts';
import { integerSetting, numbersSetting, settingsOf, switchSetting } from '../settings.ts';
import { audioFormatIssues } from './audio-format.ts';
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

/** A config as validated: numbers clamped, unknown fields still in it. */
export type StreamConfig = {
  -readonly [K in keyof typeof streamConfigShape]?: NonNullable<z.output<(typeof streamConfigShape)[K]>>;
};

/** The six keys that `update_settings` may carry (`facts 2.1`). */
export const UPDATABLE = [
  'cfg_scale',
  'temperature',
  'speed',
  'max_new_tokens',
  'language',
  'normalize',
] as const;
export type Updatable = (typeof UPDATABLE)[number];

/** Keys of identity and format, whose presence refuses the whole update (`facts 2.3.28`). */
const NOT_UPDATABLE = [
  'voice_id',
  'model_id',
  'sample_rate',
  'output_format',
  'project_id',
  'dictionary_ids',
] as const;

const controlShape = {
  text: z.string().max(MAX_TEXT_CHARS).optional(),
  flush: z.boolean().optional(),
  close: z.boolean().optional(),
  end_session: z.boolean().optional(),
  close_socket: z.boolean().optional(),
  cancel: z.boolean().optional(),
  update_settings: z.record(z.string(), z.unknown()).optional(),
};

const streamClientFrame = z.looseObject({
  ...streamConfigShape,
  /** Old alias of `model_id`, read only where that is absent (`facts 1.4`). */
  model: streamConfigShape.model_id,
  ...controlShape,
});

/** One frame of the client, taken apart; `config` holds only the fields that it carried. */
export interface StreamClientMessage {
  config: StreamConfig;
  text: string | undefined;
  flush: boolean;
  close: boolean;
  closeSocket: boolean;
  cancel: boolean;
  update: Pick<StreamConfig, Updatable> | undefined;
}

export type Parsed<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };

/** Validates one decoded JSON value. Unknown fields are ignored (`facts 1.3.4`); anything wrong refuses the whole frame. */
export function parseStreamMessage(value: unknown): Parsed<StreamClientMessage> {
  const parsed = streamClientFrame.safeParse(value);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, value, streamSettings) };
  const { data } = parsed;
  const config: Record<string, unknown> = {};
  for (const { field } of streamSettings) {
    if (data[field] !== undefined) config[field] = data[field];
  }
  if (data.model_id === undefined && data.model !== undefined) config.model_id = data.model;

  let update: Pick<StreamConfig, Updatable> | undefined;
  if (data.update_settings) {
    const checked = parseUpdate(data.update_settings);
    if (!checked.ok) return checked;
    update = checked.value;
  }
  return {
    ok: true,
    value: {
      config: config as StreamConfig,
      text: data.text,
      flush: data.flush === true,
      close: data.close === true || data.end_session === true,
      closeSocket: data.close_socket === true,
      cancel: data.cancel === true,
      update,
    },
  };
}

function parseUpdate(value: Record<string, unknown>): Parsed<Pick<StreamConfig, Updatable>> {
  const banned = NOT_UPDATABLE.filter((key) => key in value);
  if (banned.length > 0) {
    return {
      ok: false,
      issues: banned.map((key) => ({
        path: `update_settings.${key}`,
        expected: `only ${UPDATABLE.join(', ')}`,
        found: key,
      })),
    };
  }
  const parsed = streamConfig.pick(UPDATE_MASK).safeParse(value);
  if (!parsed.success) {
    const issues = issuesOf(parsed.error, value, streamSettings);
    return {
      ok: false,
      issues: issues.map((issue) => ({ ...issue, path: `update_settings.${issue.path}` })),
    };
  }
  const update: Record<string, unknown> = {};
  for (const key of UPDATABLE) {
    if (parsed.data[key] !== undefined) update[key] = parsed.data[key];
  }
  return { ok: true, value: update as Pick<StreamConfig, Updatable> };
}

const UPDATE_MASK = {
  cfg_scale: true,
  temperature: true,
  speed: true,
  max_new_tokens: true,
  language: true,
  normalize: true,
} as const;

/** Everything wrong with a config on its own; none where it may be sent. */
export function streamConfigIssues(value: unknown): Issue[] {
  const parsed = streamConfig.safeParse(value);
  if (!parsed.success) return issuesOf(parsed.error, value, streamSettings);
  return audioFormatIssues(parsed.data);
}
