import { languageName } from '#lib/languages.ts';
import { wordList } from '#lib/word-list.ts';
import { describeIssues, type Issue, issuesOf, type Parsed, settingsCheck, shown } from '../../core/issue.ts';
import { type Fields, frameCheck, parseBounded } from '../../core/json-frame.ts';
import {
  choiceSetting,
  descriptionSetting,
  type IdForm,
  settingsOf,
  switchSetting,
  textSetting,
  voiceSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { VOICE_SAMPLES, VOICE_WORDS } from './voice-words.ts';

/** Messages of the client of `/v1/realtime` (seed; `facts 6.1`). The first is `config`. */

/** Language names of the wire (seed). */
export const LANGUAGE_NAMES = wordList(
  'Auto English Spanish Portuguese German French Italian Chinese Japanese Korean Russian',
);
/** Returns the protocol's name for a language code; undefined for a language that the protocol does not have. */
export const protocolLanguageName = (code: string) =>
  LANGUAGE_NAMES.find((name) => name === languageName(code));

const LANGUAGE_CODES = wordList('en es pt de fr it zh ja ko ru');
/** Returns the code of a language by the protocol's name; undefined for any other name. */
export const protocolLanguageCode = (name: string | null | undefined) =>
  LANGUAGE_CODES.find((code) => languageName(code) === name);

/** `facts 6.1`. */
export const MAX_DESCRIPTION_CHARS = 500;
/** About 190 KB of prompt, nearly four times the prompt of the vendor's documentation. */
export const MAX_PROMPT_CHARS = 256 * 1024;

const VOICE = 'Voice';

const description = descriptionSetting(
  MAX_DESCRIPTION_CHARS,
  { words: VOICE_WORDS, samples: VOICE_SAMPLES },
  {
    title: 'Voice description',
    group: VOICE,
    explanation: 'Who speaks, in words: age, sex, pitch, pace, mood, accent. A saved voice wins over it.',
    absent: 'a plain voice of the language',
  },
);

const PROMPT_FIELD = 'voice_clone_prompt';

const voiceIds: IdForm = { name: 'id', toValue: (id) => id };

const savedVoice = voiceSetting(z.string().check(z.minLength(1)), voiceIds, [PROMPT_FIELD], {
  title: 'Saved voice',
  group: VOICE,
  explanation: 'A saved voice by its id; needs its prompt.',
  absent: 'the described voice',
});

const clonePrompt = textSetting(
  z.base64().check(z.minLength(1), z.maxLength(MAX_PROMPT_CHARS)),
  `base64 of at most ${MAX_PROMPT_CHARS} characters`,
  {
    title: 'Voice prompt',
    group: VOICE,
    explanation: 'The data of a saved voice; set with the voice, or pasted.',
    absent: 'the described voice',
  },
);

const languageWords = {
  title: 'Language',
  group: 'Text',
  explanation: 'Language of the text; Auto detects it anew for each generation.',
  fallback: 'Auto',
};

/** The settings of a person. `binary_mode` becomes a message of its own after the acknowledgement of the config. */
const settingsShape = {
  voice_description: z.optional(description),
  voice: z.optional(savedVoice),
  voice_clone_prompt: z.optional(clonePrompt),
  language: z.optional(choiceSetting(LANGUAGE_NAMES, languageWords)),
  binary_mode: z.optional(
    switchSetting({
      title: 'Binary audio',
      group: 'Audio',
      explanation: 'Audio as raw bytes instead of base64 in JSON; a connection that has it keeps it.',
      fallback: false,
    }),
  ),
};

export const realtimeSettings = settingsOf(settingsShape);

/** The id alone selects nothing (seed: "Requires voice_clone_prompt"). */
const voiceIssues = (config: { voice?: string | undefined; voice_clone_prompt?: unknown }): Issue[] =>
  config.voice !== undefined && config.voice_clone_prompt === undefined
    ? [{ path: PROMPT_FIELD, expected: 'the prompt that belongs to voice', found: 'nothing' }]
    : [];

export const settingsIssues = settingsCheck(z.looseObject(settingsShape), realtimeSettings, voiceIssues);

const configFrame = z.looseObject({
  type: z.literal('config'),
  api_key: z.string(),
  voice_description: z.optional(description),
  voice: z.optional(z.string()),
  voice_clone_prompt: z.optional(clonePrompt),
  // Unknown names, such as ISO codes, fall back to detection (`facts 6.1`).
  language: z.optional(z.string()),
});

const FRAMES = {
  config: configFrame,
  text: z.looseObject({ type: z.literal('text'), text: z.string() }),
  flush: z.looseObject({ type: z.literal('flush') }),
  binary_mode: z.looseObject({ type: z.literal('binary_mode') }),
  ping: z.looseObject({ type: z.literal('ping') }),
} as const;

export type ConfigMessage = z.output<typeof configFrame>;
export type ClientMessage = z.output<(typeof FRAMES)[keyof typeof FRAMES]>;

/** Validates a text message. Ignores unknown fields. */
export function parseClientMessage(
  message: string,
): { ok: true; value: ClientMessage } | { ok: false; problem: string } {
  const read = parseBounded(message);
  if (!('fields' in read)) return { ok: false, problem: `expected a JSON object, got ${read.kind}` };
  const parsed = parseClientFields(read.fields);
  return parsed.ok ? parsed : { ok: false, problem: describeIssues(parsed.issues) };
}

export function parseClientFields(value: Fields): Parsed<ClientMessage> {
  const { type } = value;
  if (!isType(type)) {
    const expected = `one of ${Object.keys(FRAMES).join(', ')}`;
    return { ok: false, issues: [{ path: 'type', expected, found: shown(type) }] };
  }
  const parsed = FRAMES[type].safeParse(value);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, value, realtimeSettings) };
  const issues = parsed.data.type === 'config' ? voiceIssues(parsed.data) : [];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: parsed.data };
}

const isType = (type: unknown): type is keyof typeof FRAMES =>
  typeof type === 'string' && Object.hasOwn(FRAMES, type);

export const clientFrameIssues = frameCheck(parseClientFields);
