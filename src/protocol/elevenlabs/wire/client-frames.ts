import type { Settings } from '../../core/endpoint.ts';
import type { Parsed } from '../../core/issue.ts';
import { type Fields, frameCheck, parseBy } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';
import { DELIVERY_SETTINGS, RESERVED_FIELDS, SCHEDULE, streamSettings, voiceSettings } from './settings.ts';

/** Messages of clients. They have no type: the fields that are there say what they are. */

/** Every frame of a context repeats its id. The vendor names no limit (elevenlabs-limit-8). */
const MAX_CONTEXT_ID_CHARS = 256;
/** Longer than any id or version of a dictionary. */
const MAX_LOCATOR_CHARS = 100;
const locatorId = z.string().check(z.maxLength(MAX_LOCATOR_CHARS));

const flag = z.nullish(z.boolean());
const key = z.nullish(z.string());

const schedule = z.nullish(
  z.looseObject({
    chunk_length_schedule: z.nullish(z.array(z.int().check(z.gte(SCHEDULE.min), z.lte(SCHEDULE.max)))),
  }),
);

export const streamMessage = z.looseObject({
  text: z.nullish(z.string()),
  voice_settings: voiceSettings,
  generation_config: schedule,
  // The name in the schema of later messages (elevenlabs-message-39).
  generator_config: schedule,
  pronunciation_dictionary_locators: z.nullish(
    z
      .array(z.looseObject({ pronunciation_dictionary_id: locatorId, version_id: z.nullish(locatorId) }))
      .check(z.maxLength(3)),
  ),
  try_trigger_generation: flag,
  flush: flag,
  xi_api_key: key,
  'xi-api-key': key,
  authorization: key,
});

const contextId = z.nullish(z.string().check(z.maxLength(MAX_CONTEXT_ID_CHARS)));

export const multiMessage = z.extend(streamMessage, {
  context_id: contextId,
  // The name in one schema of 2025.
  contextId,
  close_context: flag,
  close_socket: flag,
});

/** The documented fields of messages. */
export const CLIENT_FIELDS = {
  stream: new Set(Object.keys(streamMessage.shape)),
  multi: new Set(Object.keys(multiMessage.shape)),
} as const;

/** One message with its fields in their places. */
export interface ClientMessage {
  /** Absent is not empty: empty ends a stream, and keeps a context alive. */
  text: string | undefined;
  /** Flat, as the page has them; undefined where the message has none. An empty object is one. */
  settings: Settings | undefined;
  flush: boolean;
  /** Speaks what is buffered if it is long enough. */
  tryTrigger: boolean;
  key: string | undefined;
  /** Null for the default context, whose frames name none. */
  context: string | null;
  closeContext: boolean;
  closeSocket: boolean;
}

function read(value: Fields, schema: typeof streamMessage | typeof multiMessage): Parsed<ClientMessage> {
  const parsed = parseBy<typeof streamMessage | typeof multiMessage>(schema, value);
  if (!parsed.ok) return parsed;
  const { value: data } = parsed;
  // `stream-input` ignores these fields.
  const ofMulti: Partial<z.output<typeof multiMessage>> = schema === multiMessage ? data : {};
  const bearer = data.authorization?.replace(/^Bearer\s+/i, '');
  return {
    ok: true,
    value: {
      text: data.text ?? undefined,
      settings: settingsIn(data),
      flush: data.flush === true,
      tryTrigger: data.try_trigger_generation === true,
      key: data.xi_api_key ?? data['xi-api-key'] ?? bearer ?? undefined,
      context: ofMulti.context_id ?? ofMulti.contextId ?? null,
      closeContext: ofMulti.close_context === true,
      closeSocket: ofMulti.close_socket === true,
    },
  };
}

/** The `voice_settings` of a message, for comparison; null for none. A default may be absent. */
export function deliveryOf({ settings = {} }: ClientMessage): string | null {
  if (DELIVERY_SETTINGS.every(({ field }) => settings[field] === undefined)) return null;
  return String(DELIVERY_SETTINGS.map(({ field, fallback }) => settings[field] ?? fallback));
}

/** Validates one message of `stream-input`. Ignores unknown fields and nulls (elevenlabs-message-14). */
export const parseStreamMessage = (value: Fields): Parsed<ClientMessage> => read(value, streamMessage);

/** Validates one message of `multi-stream-input`. */
export const parseMultiMessage = (value: Fields): Parsed<ClientMessage> => read(value, multiMessage);

export const streamFrameIssues = frameCheck(parseStreamMessage);
export const multiFrameIssues = frameCheck(parseMultiMessage);

/** The settings of a message, flat; undefined for none. */
function settingsIn(data: z.output<typeof streamMessage>): Settings | undefined {
  const locators = data.pronunciation_dictionary_locators;
  const schedule =
    data.generation_config?.chunk_length_schedule ?? data.generator_config?.chunk_length_schedule;
  if (!data.voice_settings && !schedule && !locators) return undefined;
  const delivery = Object.entries(data.voice_settings ?? {}).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(delivery),
    ...(schedule ? { chunk_length_schedule: schedule } : {}),
    ...(locators && locators.length > 0
      ? {
          pronunciation_dictionary_locators: locators
            .map((each) => `${each.pronunciation_dictionary_id}:${each.version_id ?? 'latest'}`)
            .join(', '),
        }
      : {}),
  };
}

/** The fields of a first message for flat settings. Those of the address are not in it, and unknown ones are. */
export function messageSettings(settings: Settings): Fields {
  const {
    chunk_length_schedule: schedule,
    pronunciation_dictionary_locators: locators,
    ...others
  } = settings;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const isDelivery = ([field]: [string, unknown]) => DELIVERY_SETTINGS.some((each) => each.field === field);
  const isKnown = ([field]: [string, unknown]) =>
    streamSettings.some((each) => each.field === field) || RESERVED_FIELDS.includes(field);
  const delivery = given.filter(isDelivery);
  return {
    ...Object.fromEntries(given.filter((each) => !isKnown(each))),
    ...(delivery.length > 0 ? { voice_settings: Object.fromEntries(delivery) } : {}),
    ...(schedule === undefined ? {} : { generation_config: { chunk_length_schedule: schedule } }),
    ...(typeof locators === 'string'
      ? {
          pronunciation_dictionary_locators: locators.split(',').map((each) => {
            const [id = '', version = ''] = each.trim().split(':');
            return { pronunciation_dictionary_id: id, version_id: version };
          }),
        }
      : {}),
  };
}
