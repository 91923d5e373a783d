import { issuesOf, type Parsed } from '../../core/issue.ts';
import { type Fields, frameCheck } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { audioFormatIssues } from './audio-format.ts';
import {
  controlShape,
  parseNested,
  parseUpdate,
  pickFields,
  type SettingsUpdate,
  type Values,
  withoutNulls,
} from './client-frames.ts';
import {
  contextSettings,
  deliveryShape,
  sessionSettings,
  sessionShape,
  voiceSettings,
  voiceShape,
} from './multi-settings.ts';

/** Client frames of `/ws/tts/multi` (`facts 3.1`). One object may carry settings, text and control keys. */

/** Ids are short, because every frame of a context repeats its id. */
export const MAX_CONTEXT_ID_CHARS = 256;

const allSettings = [...sessionSettings, ...contextSettings];
const nestedSettings = [...sessionSettings, ...voiceSettings];

export type SessionConfig = Values<typeof sessionShape>;
export type VoiceConfig = Values<typeof voiceShape>;
export type ContextConfig = VoiceConfig & Values<typeof deliveryShape>;

/** Seconds; range of decision 2.21. */
const inactivityTimeout = { inactivity_timeout: z.optional(z.number().check(z.gte(1), z.lte(180))) };

const nestedSchema = z.looseObject({ ...sessionShape, ...voiceShape, ...inactivityTimeout });

const multiClientFrame = z.looseObject({
  ...sessionShape,
  ...voiceShape,
  ...deliveryShape,
  ...inactivityTimeout,
  ...controlShape,
  context_id: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_CONTEXT_ID_CHARS))),
  voice_settings: z.optional(z.record(z.string(), z.unknown())),
  close_context: z.optional(z.boolean()),
  immediate: z.optional(z.boolean()),
});

/** One client frame by its parts. Configs hold only the fields of the frame. */
export interface MultiClientMessage {
  contextId: string | undefined;
  text: string | undefined;
  /** For the whole connection, from either place. The top level wins. */
  session: SessionConfig;
  /** The top-level fields: defaults of contexts that are created later. */
  defaults: ContextConfig;
  /** The context's fields of `voice_settings`; undefined without `voice_settings`. */
  voice: VoiceConfig | undefined;
  inactivityTimeoutMs: number | undefined;
  flush: boolean;
  /** `'now'` drops unspoken text. */
  closeContext: false | 'graceful' | 'now';
  cancel: boolean;
  closeSocket: boolean;
  update: SettingsUpdate | undefined;
}

/**
 * Whether a frame opens a context that is not live. Any text does, also blank, and so do voice settings
 * (`facts 3.3.5`, `3.3.6`). A keep-alive does not, because it may have been sent before the context ended.
 */
export const opensContext = ({ text, voice }: MultiClientMessage): boolean =>
  (text !== undefined && text !== '') || voice !== undefined;

/** Validates one JSON value. Ignores unknown fields (`facts 1.3.4`); one wrong field refuses the whole frame. */
export function parseMultiMessage(value: unknown): Parsed<MultiClientMessage> {
  const fields = withoutNulls(value);
  const parsed = multiClientFrame.safeParse(fields);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, fields, allSettings) };
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
  const nested = parseVoiceSettings(data.voice_settings);
  if (!nested.ok) return nested;
  const update = parseUpdate(data.update_settings);
  if (!update.ok) return update;
  const seconds = data.inactivity_timeout ?? data.voice_settings?.inactivity_timeout;
  return {
    ok: true,
    value: {
      contextId: data.context_id,
      text: data.text,
      session: { ...pickFields(nested.value, sessionSettings), ...pickFields(data, sessionSettings) },
      defaults: pickFields(data, contextSettings),
      voice: data.voice_settings && pickFields(nested.value, voiceSettings),
      inactivityTimeoutMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
      flush: data.flush === true,
      closeContext: data.close_context === true && (data.immediate === true ? 'now' : 'graceful'),
      cancel: data.cancel === true,
      closeSocket: data.close_socket === true,
      update: update.value,
    },
  };
}

const parseVoiceSettings = (value: Fields = {}): Parsed<Fields> =>
  parseNested('voice_settings', nestedSchema, nestedSettings, value);

/** The key of a frame that needs a context, if any. */
function needingContext(data: z.output<typeof multiClientFrame>): string | undefined {
  if (data.text !== undefined && data.text !== '') return 'text';
  if (data.flush) return 'flush';
  return data.close_context ? 'close_context' : undefined;
}

export const multiFrameIssues = frameCheck(parseMultiMessage, ({ session }) => audioFormatIssues(session));
