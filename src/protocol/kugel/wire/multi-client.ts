import { frameIssues } from '../../core/frame-template.ts';
import { type Issue, issuesOf } from '../../core/issue.ts';
import { settingsOf } from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { audioFormatIssues } from './audio-format.ts';
import {
  controlShape,
  type Parsed,
  parseNested,
  parseUpdate,
  pickFields,
  type SettingsUpdate,
  type Values,
} from './client-frames.ts';
import { generationShape } from './generation.ts';

/** What the client of `/ws/tts/multi` sends (`facts 3.1`): one object may carry settings, text and control keys. */

/** Live contexts of one connection (seed; `facts 3.3.1`). */
export const MAX_CONTEXTS = 20;

/** A context in which nothing happens for so long is closed (seed; `facts 3.3.3`). */
export const IDLE_CONTEXT_MS = 20_000;

/** An id is repeated in every frame of its context, so it is short. */
export const MAX_CONTEXT_ID_CHARS = 256;

/** What holds for the whole connection, on any message, top level or inside `voice_settings` (seed). */
const sessionShape = {
  model_id: generationShape.model_id,
  sample_rate: generationShape.sample_rate,
  output_format: generationShape.output_format,
  normalize: generationShape.normalize,
  language: generationShape.language,
  word_timestamps: generationShape.word_timestamps,
  dictionary_ids: generationShape.dictionary_ids,
};

/** What a context has of its own, bound when it is created (`facts 3.3.8`); these three stand in `voice_settings`. */
const voiceShape = {
  voice_id: generationShape.voice_id,
  cfg_scale: generationShape.cfg_scale,
  max_new_tokens: generationShape.max_new_tokens,
};

/** Bound at creation too, but read at the top level alone: inside `voice_settings` they are dropped (`facts 3.1`). */
const deliveryShape = {
  speed: generationShape.speed,
  temperature: generationShape.temperature,
};

export const sessionSettings = settingsOf(sessionShape);
const voiceSettings = settingsOf(voiceShape);
export const deliverySettings = settingsOf(deliveryShape);
/** Everything that a context has of its own, whatever place it takes in the frame. */
export const contextSettings = [...voiceSettings, ...deliverySettings];

const allSettings = [...sessionSettings, ...contextSettings];
const nestedSettings = [...sessionSettings, ...voiceSettings];

export type SessionConfig = Values<typeof sessionShape>;
export type VoiceConfig = Values<typeof voiceShape>;
export type ContextConfig = VoiceConfig & Values<typeof deliveryShape>;

/** Seconds; range of decision 2.21. */
const inactivityTimeout = { inactivity_timeout: z.number().min(1).max(180).optional() };

const sessionSchema = z.looseObject(sessionShape);
const contextSchema = z.looseObject({ ...voiceShape, ...deliveryShape });
const nestedSchema = z.looseObject({ ...sessionShape, ...voiceShape, ...inactivityTimeout });

const multiClientFrame = z.looseObject({
  ...sessionShape,
  ...voiceShape,
  ...deliveryShape,
  ...inactivityTimeout,
  ...controlShape,
  context_id: z.string().min(1).max(MAX_CONTEXT_ID_CHARS).optional(),
  voice_settings: z.record(z.string(), z.unknown()).optional(),
  close_context: z.boolean().optional(),
  immediate: z.boolean().optional(),
});

/** One frame of the client, taken apart; configs hold only the fields that it carried. */
export interface MultiClientMessage {
  contextId: string | undefined;
  text: string | undefined;
  /** For the whole connection, from either place; the top level counts where both have a field. */
  session: SessionConfig;
  /** Defaults of contexts that are created from now on: what stands at the top level. */
  defaults: ContextConfig;
  /** What `voice_settings` holds for this context; undefined where the frame has none. */
  voice: VoiceConfig | undefined;
  inactivityTimeoutMs: number | undefined;
  flush: boolean;
  /** `'now'`: what is not spoken yet is dropped. */
  closeContext: false | 'graceful' | 'now';
  cancel: boolean;
  closeSocket: boolean;
  update: SettingsUpdate | undefined;
}

/** Validates one decoded JSON value. Unknown fields are ignored (`facts 1.3.4`); anything wrong refuses the whole frame. */
export function parseMultiMessage(value: unknown): Parsed<MultiClientMessage> {
  const parsed = multiClientFrame.safeParse(value);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, value, allSettings) };
  const { data } = parsed;
  const missing = data.context_id === undefined ? needingContext(data) : undefined;
  if (missing !== undefined) {
    return {
      ok: false,
      issues: [
        { path: 'context_id', expected: `the id of a context to go with ${missing}`, found: 'nothing' },
      ],
    };
  }
  let nested: Record<string, unknown> = {};
  let nestedTimeout: unknown;
  if (data.voice_settings) {
    const checked = parseVoiceSettings(data.voice_settings);
    if (!checked.ok) return checked;
    nested = checked.value;
    nestedTimeout = data.voice_settings.inactivity_timeout;
  }
  let update: SettingsUpdate | undefined;
  if (data.update_settings) {
    const checked = parseUpdate(data.update_settings);
    if (!checked.ok) return checked;
    update = checked.value;
  }
  const seconds = data.inactivity_timeout ?? nestedTimeout;
  return {
    ok: true,
    value: {
      contextId: data.context_id,
      text: data.text,
      session: { ...pickFields(nested, sessionSettings), ...pickFields(data, sessionSettings) },
      defaults: pickFields(data, contextSettings),
      voice: data.voice_settings && pickFields(nested, voiceSettings),
      inactivityTimeoutMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
      flush: data.flush === true,
      closeContext: data.close_context === true && (data.immediate === true ? 'now' : 'graceful'),
      cancel: data.cancel === true,
      closeSocket: data.close_socket === true,
      update,
    },
  };
}

const parseVoiceSettings = (value: Record<string, unknown>): Parsed<Record<string, unknown>> =>
  parseNested('voice_settings', nestedSchema, nestedSettings, value);

/** The key of a frame that means nothing without a context. */
function needingContext(data: z.output<typeof multiClientFrame>): string | undefined {
  if (data.text !== undefined && data.text !== '') return 'text';
  if (data.flush) return 'flush';
  return data.close_context ? 'close_context' : undefined;
}

/** Everything wrong with the settings of a connection; none where they may be sent. */
export function sessionSettingIssues(value: unknown): Issue[] {
  const parsed = sessionSchema.safeParse(value);
  return parsed.success ? audioFormatIssues(parsed.data) : issuesOf(parsed.error, value, sessionSettings);
}

/** Everything wrong with the settings of one context. */
export function contextSettingIssues(value: unknown): Issue[] {
  const parsed = contextSchema.safeParse(value);
  return parsed.success ? [] : issuesOf(parsed.error, value, contextSettings);
}

/** Everything wrong with one text message on its own; none where it may be sent. */
export const multiFrameIssues = (text: string): Issue[] =>
  frameIssues(text, (frame) => {
    const parsed = parseMultiMessage(frame);
    return parsed.ok ? audioFormatIssues(parsed.value.session) : parsed.issues;
  });
