import { languageName } from '#lib/languages.ts';
import { wordList } from '#lib/word-list.ts';
import { type Issue, settingsCheck } from '../../core/issue.ts';
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

/** Settings of `/v1/realtime` (seed; `facts 6.1`). */

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

export const description = descriptionSetting(
  MAX_DESCRIPTION_CHARS,
  { words: VOICE_WORDS, samples: VOICE_SAMPLES },
  {
    title: 'Voice description',
    group: 'Voice',
    explanation: 'Who speaks, in words: age, sex, pitch, pace, mood, accent. A saved voice wins over it.',
    absent: 'a plain voice of the language',
  },
);

const PROMPT_FIELD = 'voice_clone_prompt';

const voiceIds: IdForm = { name: 'id', toValue: (id) => id };

const savedVoice = voiceSetting(z.string().check(z.minLength(1)), voiceIds, [PROMPT_FIELD], {
  title: 'Saved voice',
  group: 'Voice',
  explanation: 'A saved voice by its id; needs its prompt.',
  absent: 'the described voice',
});

export const clonePrompt = textSetting(
  z.base64().check(z.minLength(1), z.maxLength(MAX_PROMPT_CHARS)),
  `base64 of at most ${MAX_PROMPT_CHARS} characters`,
  {
    title: 'Voice prompt',
    group: 'Voice',
    explanation: 'The data of a saved voice; set with the voice, or pasted.',
    absent: 'the described voice',
  },
);

/** The settings of a person. `binary_mode` becomes a message of its own after the acknowledgement of the config. */
const settingsShape = z.partial(
  z.object({
    voice_description: description,
    voice: savedVoice,
    voice_clone_prompt: clonePrompt,
    language: choiceSetting(LANGUAGE_NAMES, {
      title: 'Language',
      group: 'Text',
      explanation: 'Language of the text; Auto detects it anew for each generation.',
      fallback: 'Auto',
    }),
    binary_mode: switchSetting({
      title: 'Binary audio',
      group: 'Audio',
      explanation: 'Audio as raw bytes instead of base64 in JSON; a connection that has it keeps it.',
      fallback: false,
    }),
  }),
).shape;

export const realtimeSettings = settingsOf(settingsShape);

/** The id alone selects nothing (seed: "Requires voice_clone_prompt"). */
export const voiceIssues = (config: { voice?: string | undefined; voice_clone_prompt?: unknown }): Issue[] =>
  config.voice !== undefined && config.voice_clone_prompt === undefined
    ? [{ path: PROMPT_FIELD, expected: 'the prompt that belongs to voice', found: 'nothing' }]
    : [];

export const settingsIssues = settingsCheck(z.looseObject(settingsShape), realtimeSettings, voiceIssues);
