import type { Parsed } from '../../core/issue.ts';
import { type Fields, frameCheck, parseBy } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import {
  besideSettings,
  controlShape,
  onWire,
  pickFields,
  readUpdate,
  type SettingsUpdate,
  type Values,
} from './client-frames.ts';
import {
  audioFormatIssues,
  contextSettings,
  deliveryShape,
  sessionSettings,
  sessionShape,
  voiceSettings,
  voiceShape,
} from './settings.ts';

/** Client frames of `/ws/tts/multi`. One object may carry settings, text and control keys. */

/** Ids are short, because every frame of a context repeats its id. */
export const MAX_CONTEXT_ID_CHARS = 256;

const allSettings = [...sessionSettings, ...contextSettings];

export type SessionConfig = Values<typeof sessionShape>;
export type VoiceConfig = Values<typeof voiceShape>;
export type ContextConfig = VoiceConfig & Values<typeof deliveryShape>;

/** Seconds (kugel-context-22). */
const inactivityTimeout = { inactivity_timeout: z.optional(z.number().check(z.gte(1), z.lte(180))) };

const nestedShape = { ...onWire({ ...sessionShape, ...voiceShape }), ...inactivityTimeout };

const unused = z.optional(z.unknown());

export const nestedFields = z.looseObject({
  ...nestedShape,
  ...besideSettings,
  // An official client may put these there.
  stability: unused,
  similarity_boost: unused,
  style: unused,
  use_speaker_boost: unused,
});

export const multiClientFrame = z.looseObject({
  ...nestedShape,
  ...deliveryShape,
  ...controlShape,
  context_id: z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_CONTEXT_ID_CHARS))),
  voice_settings: z.optional(nestedFields),
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
 * (kugel-context-3, kugel-context-4). A keep-alive does not, because it may have been sent before the context ended.
 */
export const opensContext = ({ text, voice }: MultiClientMessage): boolean =>
  (text !== undefined && text !== '') || voice !== undefined;

/** Validates one message. Ignores unknown fields (kugel-message-3); one wrong field refuses the whole frame. */
export function parseMultiMessage(fields: Fields): Parsed<MultiClientMessage> {
  const parsed = parseBy(multiClientFrame, fields, allSettings);
  if (!parsed.ok) return parsed;
  const { value: data } = parsed;
  const missing = data.context_id === undefined ? needingContext(data) : undefined;
  if (missing !== undefined) {
    return {
      ok: false,
      issues: [
        { path: 'context_id', expected: `the id of a context to go with ${missing}`, found: 'nothing' },
      ],
    };
  }
  const nested = data.voice_settings ?? {};
  const update = readUpdate(data.update_settings);
  if (!update.ok) return update;
  const seconds = data.inactivity_timeout ?? nested.inactivity_timeout;
  return {
    ok: true,
    value: {
      contextId: data.context_id,
      text: data.text,
      session: { ...pickFields(nested, sessionSettings), ...pickFields(data, sessionSettings) },
      defaults: pickFields(data, contextSettings),
      voice: data.voice_settings && pickFields(nested, voiceSettings),
      inactivityTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
      flush: data.flush === true,
      closeContext: data.close_context === true && (data.immediate === true ? 'now' : 'graceful'),
      cancel: data.cancel === true,
      closeSocket: data.close_socket === true,
      update: update.value,
    },
  };
}

/** The key of a frame that needs a context, if any. */
function needingContext(data: z.output<typeof multiClientFrame>): string | undefined {
  if (data.text !== undefined && data.text !== '') return 'text';
  if (data.flush) return 'flush';
  return data.close_context ? 'close_context' : undefined;
}

export const multiFrameIssues = frameCheck(parseMultiMessage, ({ session }) => audioFormatIssues(session));
