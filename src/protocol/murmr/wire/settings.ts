import { languageName } from '#lib/languages.ts';
import { wordList } from '#lib/word-list.ts';
import * as common from '../../core/common-settings.ts';
import { type Issue, settingsCheck } from '../../core/issue.ts';
import {
  choiceSetting,
  type DescribingWords,
  descriptionSetting,
  type IdForm,
  settingsOf,
  switchSetting,
  textSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';

/** Settings of `/v1/realtime`. */

/** The one sample rate of this endpoint, in Hz. */
export const SAMPLE_RATE = 24_000;

/** Text that waits in the server's buffer. More is refused. */
export const MAX_BUFFER_CHARS = 4096;

/** Language names of the wire. */
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

/** As over REST (murmr-message-5). */
export const MAX_DESCRIPTION_CHARS = 500;
/** About 190 KB of prompt, nearly four times the prompt of the vendor's documentation. */
export const MAX_PROMPT_CHARS = 256 * 1024;

/** Words that the local server hears, each alone, as suggestions. A description may contain any others. */
export const VOICE_WORDS: readonly DescribingWords[] = [
  { title: 'Sex', words: ['woman', 'man'] },
  { title: 'Age', words: ['child', 'young', 'middle-aged', 'elderly'] },
  { title: 'Pitch', words: ['deep', 'low', 'high', 'bright'] },
  { title: 'Pace', words: ['slow', 'measured', 'brisk', 'fast'] },
  { title: 'Mood', words: ['calm', 'cheerful', 'serious', 'excited', 'monotone'] },
  { title: 'Tone', words: ['warm', 'breathy', 'raspy', 'whispering', 'robotic'] },
  {
    title: 'Accent',
    words: ['British accent', 'Scottish accent', 'Indian accent', 'French accent', 'German accent'],
  },
];

/** Whole descriptions as examples. */
const VOICE_SAMPLES: readonly string[] = [
  'A warm, friendly woman, calm',
  'An elderly man with a deep, raspy voice, slow',
  'A cheerful young woman, bright and fast',
  'A serious newsreader, a man with a British accent, measured',
  'A child, excited',
  'A whispering woman, slow',
];

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

const savedVoice = common.voice(
  z.string().check(z.minLength(1)),
  voiceIds,
  { title: 'Saved voice', also: 'It needs its prompt.', absent: 'the described voice' },
  [PROMPT_FIELD],
);

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
    language: choiceSetting(
      LANGUAGE_NAMES,
      common.languageWords({ also: 'Auto detects it anew for each generation.', fallback: 'Auto' }),
    ),
    binary_mode: switchSetting({
      title: 'Binary audio',
      group: 'Audio',
      explanation: 'Audio as raw bytes instead of base64 in JSON; a connection that has it keeps it.',
      fallback: false,
    }),
  }),
).shape;

export const realtimeSettings = settingsOf(settingsShape);

/** The id alone selects nothing (murmr-voice-2). */
export const voiceIssues = (config: { voice?: string | undefined; voice_clone_prompt?: unknown }): Issue[] =>
  config.voice !== undefined && config.voice_clone_prompt === undefined
    ? [{ path: PROMPT_FIELD, expected: 'the prompt that belongs to voice', found: 'nothing' }]
    : [];

export const settingsIssues = settingsCheck(z.looseObject(settingsShape), realtimeSettings, voiceIssues);
