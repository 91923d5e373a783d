import { wordList } from '#lib/word-list.ts';
import { type Issue, partialCheck } from '../../core/issue.ts';
import {
  choiceSetting,
  integerSetting,
  openChoiceSetting,
  placedSettings,
  rangeSetting,
  settingsOf,
  switchSetting,
  textSetting,
  voiceIdSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { DEFAULT_MODEL, LANGUAGES, languageOf, MODEL_IDS } from './models.ts';
import { DEFAULT_OUTPUT, ENCODINGS, SAMPLE_RATES } from './output-format.ts';
import { isVersion, LATEST_VERSION, VERSIONS, type Version, versionTraits } from './versions.ts';

/**
 * Settings (`facts-cartesia`, G1 to G20). All but the version go with every message. They are flat here; messages nest some
 * of them.
 */

/** Contexts at a time on the plan Scale (Q4). */
export const MAX_CONTEXTS = 15;

/** Documented default of `max_buffer_delay_ms`, taken for all versions (G8, O19). */
export const DEFAULT_BUFFER_DELAY_MS = 3000;

const A_LANGUAGE = `one of ${LANGUAGES.join(', ')}, or a locale such as en-GB`;
const language = z.string().check(z.refine((value) => languageOf(value) !== null, A_LANGUAGE));

/** Of version 2026-08-14 (G18). Earlier lists contradict each other. */
export const EMOTIONS: readonly string[] = wordList('neutral calm angry content sad');

/** In `output_format`. */
export const formatShape = {
  encoding: choiceSetting(ENCODINGS, {
    title: 'Encoding',
    group: 'Audio',
    explanation: 'Form of the samples: 16-bit, float, or one byte as in telephony.',
    fallback: DEFAULT_OUTPUT.encoding,
  }),
  sample_rate: choiceSetting(SAMPLE_RATES, {
    title: 'Sample rate',
    group: 'Audio',
    explanation: 'Samples per second.',
    fallback: DEFAULT_OUTPUT.sample_rate,
    unit: 'Hz',
  }),
};

/** Of a connection. The server would take another value with each message. */
export const sessionShape = {
  max_buffer_delay_ms: integerSetting(0, 5000, {
    title: 'Buffer delay',
    group: 'Text',
    explanation: 'Longest wait for more text before speech begins; 0 speaks each text at once on its own.',
    fallback: DEFAULT_BUFFER_DELAY_MS,
    unit: 'ms',
  }),
  add_timestamps: switchSetting({
    title: 'Word times',
    group: 'Audio',
    explanation: 'Sends the time of each word, in frames of their own.',
    fallback: false,
  }),
  add_phoneme_timestamps: switchSetting({
    title: 'Phoneme times',
    group: 'Audio',
    explanation: 'Sends the time of each phoneme, which the page shows as frames.',
    fallback: false,
  }),
  use_normalized_timestamps: switchSetting({
    title: 'Normalised words',
    group: 'Audio',
    explanation: 'Times words as they are spoken, not as they are written.',
    absent: 'chosen by the server',
  }),
};

/** In `generation_config`; models before sonic-3 ignore it (G16 to G19). */
export const deliveryShape = {
  speed: rangeSetting(0.6, 1.5, 0.05, {
    title: 'Speed',
    group: 'Delivery',
    explanation: 'Pace of the speech.',
    fallback: 1,
    unit: '×',
  }),
  volume: rangeSetting(0.5, 2, 0.05, {
    title: 'Volume',
    group: 'Delivery',
    explanation: 'Loudness of the speech.',
    fallback: 1,
    unit: '×',
  }),
  emotion: openChoiceSetting(EMOTIONS, {
    title: 'Emotion',
    group: 'Delivery',
    explanation:
      'Feeling of the speech; older versions have more names. The local engine accepts it without effect.',
    absent: 'found in the text',
  }),
};

/** Of a speaker, at the top level of messages. `voice` has a form by version (G3). */
export const speakerShape = {
  model_id: openChoiceSetting(MODEL_IDS, {
    title: 'Model',
    group: 'Voice',
    explanation: 'The later, the better; the local engine has one for all.',
    fallback: DEFAULT_MODEL,
  }),
  language: textSetting(language, A_LANGUAGE, {
    title: 'Language',
    group: 'Text',
    explanation: 'Language of the text, such as en or en-GB.',
    absent: 'that of the voice',
  }),
  locale: textSetting(language, A_LANGUAGE, {
    title: 'Locale',
    group: 'Text',
    explanation: 'Language and region, instead of the language; since version 2026-08-14.',
    absent: 'none',
  }),
  accent: textSetting(z.string().check(z.regex(/^[\w .-]{1,64}$/)), 'an accent that the voice lists', {
    title: 'Accent',
    group: 'Voice',
    explanation: 'One of the accents of the voice; since version 2026-08-14. The local engine has none.',
    absent: 'that of the voice',
  }),
  normalization: openChoiceSetting(['auto', 'off'], {
    title: 'Normalise',
    group: 'Text',
    explanation:
      'Reads numbers and dates as words, also by the rules of a language code; since version 2026-08-14.',
    fallback: 'auto',
  }),
  pronunciation_dict_id: textSetting(z.string().check(z.regex(/^[\w-]{1,64}$/)), 'the id of a dictionary', {
    title: 'Dictionary',
    group: 'Text',
    explanation: 'How special words are pronounced. The local engine has none.',
    absent: 'none',
  }),
};

export const voiceShape = {
  voice: voiceIdSetting({
    title: 'Voice',
    group: 'Voice',
    explanation: 'Who speaks, by id.',
    absent: 'none; every message needs one',
  }),
};

const addressShape = {
  cartesia_version: choiceSetting(VERSIONS, {
    title: 'Version',
    group: 'Connection',
    explanation: 'Date of the protocol: forms of voices and errors depend on it.',
    absent: 'none; the server needs one',
  }),
};

/** Of a connection. */
export const sessionSettings = [
  ...placedSettings('query', addressShape),
  ...settingsOf({ ...formatShape, ...sessionShape }),
];
/** Of a speaker. */
export const ofSpeaker = settingsOf({ ...voiceShape, ...speakerShape, ...deliveryShape });

/** All fields of messages and of the address that are never settings. */
export const RESERVED_FIELDS: readonly string[] = wordList(
  'transcript context_id continue flush cancel output_format generation_config api_key access_token',
);

type Values = Readonly<Record<string, unknown>>;

export const sessionSettingIssues = partialCheck(
  sessionSettings,
  ({ cartesia_version: version, max_buffer_delay_ms: delayMs }) =>
    isVersion(version) ? delayIssues(delayMs, version) : [],
);
export const speakerSettingIssues = partialCheck(ofSpeaker, localeIssues);

/** A delay that this version does not allow (G8). */
export function delayIssues(delayMs: unknown, version: Version): Issue[] {
  const { maxBufferDelayMs } = versionTraits(version);
  return typeof delayMs === 'number' && delayMs > maxBufferDelayMs
    ? [{ path: 'max_buffer_delay_ms', expected: `at most ${maxBufferDelayMs}`, found: String(delayMs) }]
    : [];
}

/** Both fields name the language (G13). */
export function localeIssues({ language: code, locale }: Values): Issue[] {
  const both = typeof code === 'string' && typeof locale === 'string';
  return both ? [{ path: 'locale', expected: 'no locale beside the language', found: locale }] : [];
}

/** The version under these settings. */
export const versionOf = ({ cartesia_version: version }: Values): Version =>
  isVersion(version) ? version : LATEST_VERSION;
