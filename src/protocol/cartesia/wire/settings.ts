import { wordList } from '#lib/word-list.ts';
import type { UncompressedFormat } from '../../core/audio-format.ts';
import * as common from '../../core/common-settings.ts';
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
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';

/** Dates of the protocol, which the client chooses (cartesia-connect-11, cartesia-connect-16). */
export const VERSIONS = wordList('2024-06-10 2024-11-13 2025-04-16 2025-11-04 2026-03-01 2026-08-14');

export type Version = (typeof VERSIONS)[number];

export const LATEST_VERSION = '2026-08-14' satisfies Version;

export const isVersion = (date: unknown): date is Version => (VERSIONS as readonly unknown[]).includes(date);

/** The changes of a version on the socket. Dates sort as texts do. */
export const versionTraits = (version: Version) => ({
  /** `voice` may be an embedding. */
  hasEmbeddings: version <= '2024-11-13',
  /** Errors have `title` and `message` instead of `error`, and unknown ids answer 404 (cartesia-connect-15). */
  hasStructuredErrors: version >= '2026-03-01',
  /** `context_id` is required. */
  needsContext: version >= '2026-03-01',
  /** `voice` is an id or `{id}`, without a mode. */
  hasPlainVoice: version >= '2026-08-14',
  /** `locale`, `accent` and `normalization`, and `access` of voices in place of `is_public`. */
  hasLocales: version >= '2026-08-14',
  /** Largest `max_buffer_delay_ms` (cartesia-message-8). */
  maxBufferDelayMs: version >= '2026-03-01' ? 5000 : 1000,
});

/** Models and languages (cartesia-model-1). */

/** Offered models. The last two name whichever is the newest. */
export const MODEL_IDS = wordList('sonic-3.6 sonic-3.5 sonic-3 sonic-latest sonic-preview');

export const DEFAULT_MODEL = 'sonic-3.6' satisfies (typeof MODEL_IDS)[number];

const SNAPSHOTS: readonly string[] = ['sonic-3-2026-01-12'];

const RETIRED: readonly string[] = wordList(
  'sonic sonic-english sonic-multilingual sonic-2 sonic-2-2025-03-07 sonic-turbo sonic-turbo-2025-03-07 sonic-3-2025-10-27',
);

export const isModelId = (id: string): boolean =>
  (MODEL_IDS as readonly string[]).includes(id) || SNAPSHOTS.includes(id);

/** A model that the vendor has switched off. */
export const isRetired = (id: string): boolean => RETIRED.includes(id);

/** Whether the model reads `generation_config` and dictionaries (cartesia-message-19). Models of unknown names are later ones. */
export const takesDelivery = (id: string): boolean => !isRetired(id) || id.startsWith('sonic-3');

/** Base codes of all languages that any model speaks. */
const LANGUAGES: readonly string[] = wordList(
  'en fr de es pt zh ja hi it ko nl pl ru sv tr tl bg ro ar cs el fi hr ms sk da ta uk hu no vi bn th he ka id te gu kn ml mr pa or ur',
);

/** The base code of a language or locale, such as `en_GB`; null for an unknown one. */
export function languageOf(value: string): string | null {
  const [, base = ''] = /^([a-z]{2})(?:[-_][a-z]{2})?$/.exec(value.toLowerCase()) ?? [];
  return LANGUAGES.includes(base) ? base : null;
}

/** Formats of the socket, all of them raw and mono (cartesia-message-4). */
export const ENCODINGS = ['pcm_s16le', 'pcm_f32le', 'pcm_mulaw', 'pcm_alaw'] as const;
const SAMPLE_RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000] as const;

/** Sent where the settings name none, because the server has no default. */
export const DEFAULT_OUTPUT = { encoding: 'pcm_s16le', sample_rate: 24_000 } as const;

const NAMES = {
  pcm_s16le: 'pcm_s16le',
  pcm_f32le: 'pcm_f32le',
  pcm_mulaw: 'mulaw',
  pcm_alaw: 'alaw',
} as const satisfies Record<(typeof ENCODINGS)[number], UncompressedFormat['encoding']>;

/** The format of the audio under these flat settings. No frame names it. */
export function audioFormatOf(settings: Readonly<Record<string, unknown>>): UncompressedFormat {
  const encoding = ENCODINGS.find((each) => each === settings.encoding) ?? DEFAULT_OUTPUT.encoding;
  const sampleRate = SAMPLE_RATES.find((each) => each === settings.sample_rate) ?? DEFAULT_OUTPUT.sample_rate;
  return { encoding: NAMES[encoding], sampleRate };
}

/**
 * Settings. All but the version go with every message (cartesia-message-26). They are flat here; messages nest some of
 * them.
 */

/** Contexts at a time on the plan Scale (cartesia-limit-8). */
export const MAX_CONTEXTS = 15;

/** Documented default of `max_buffer_delay_ms`, taken for all versions (cartesia-text-8). */
export const DEFAULT_BUFFER_DELAY_MS = 3000;

const A_LANGUAGE = `one of ${LANGUAGES.join(', ')}, or a locale such as en-GB`;
const language = z.string().check(z.refine((value) => languageOf(value) !== null, A_LANGUAGE));

/** Emotions of version 2026-08-14. Earlier lists contradict each other (cartesia-message-18). */
export const EMOTIONS: readonly string[] = wordList('neutral calm angry content sad');

/** In `output_format`. */
export const formatShape = {
  encoding: common.encoding(ENCODINGS, {
    also: '16-bit, float, or one byte as in telephony.',
    fallback: DEFAULT_OUTPUT.encoding,
  }),
  sample_rate: common.sampleRate(SAMPLE_RATES, { fallback: DEFAULT_OUTPUT.sample_rate }),
};

/** Of a connection. The server would take another value with each message. */
export const sessionShape = {
  max_buffer_delay_ms: integerSetting(0, 5000, {
    title: 'Buffer delay',
    group: 'Chunking',
    explanation: 'Longest wait for more text before speech begins; 0 speaks each text at once on its own.',
    fallback: DEFAULT_BUFFER_DELAY_MS,
    unit: 'ms',
  }),
  add_timestamps: common.wordTimes(),
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

/** In `generation_config`; models before sonic-3 ignore it. */
export const deliveryShape = {
  speed: common.speed(0.6, 1.5, 0.05),
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
    explanation: 'Feeling of the speech; older versions have more names.',
    absent: 'found in the text',
    hasNoEffectHere: true,
  }),
};

/** Of a speaker, at the top level of messages. `voice` has a form by version. */
export const speakerShape = {
  model_id: openChoiceSetting(
    MODEL_IDS,
    common.modelWords({ also: 'The later, the better.', fallback: DEFAULT_MODEL }),
  ),
  language: textSetting(
    language,
    A_LANGUAGE,
    common.languageWords({ also: 'Such as en or en-GB.', absent: 'that of the voice' }),
  ),
  locale: textSetting(language, A_LANGUAGE, {
    title: 'Locale',
    group: 'Text',
    explanation: 'Language and region, instead of the language; since version 2026-08-14.',
    absent: 'none',
    isLanguage: true,
  }),
  accent: textSetting(z.string().check(z.regex(/^[\w .-]{1,64}$/)), 'an accent that the voice lists', {
    title: 'Accent',
    group: 'Voice',
    explanation: 'One of the accents of the voice; since version 2026-08-14. The local server has none.',
    absent: 'that of the voice',
  }),
  normalization: openChoiceSetting(
    ['auto', 'off'],
    common.numbersAsWords({
      also: 'A language code means its rules; since version 2026-08-14.',
      fallback: 'auto',
    }),
  ),
  pronunciation_dict_id: textSetting(
    z.string().check(z.regex(/^[\w-]{1,64}$/)),
    'the id of a dictionary',
    common.dictionariesWords({ title: 'Dictionary', also: 'The local server has none.', absent: 'none' }),
  ),
};

export const voiceShape = { voice: common.voiceId({ absent: 'none; every message needs one' }) };

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

/** A short-lived token, made by a server of the person's own with its key. */
export const TOKEN = { prefix: 'eyJ', name: 'access_token' } as const;

/** The key's place in a query, because browsers cannot set headers (cartesia-key-3). */
export const KEY_PARAMETER = 'api_key';

type Values = Readonly<Record<string, unknown>>;

export const sessionSettingIssues = partialCheck(
  sessionSettings,
  ({ cartesia_version: version, max_buffer_delay_ms: delayMs }) =>
    isVersion(version) ? delayIssues(delayMs, version) : [],
);
export const speakerSettingIssues = partialCheck(ofSpeaker, localeIssues);

/** A delay that this version does not allow (cartesia-message-8). */
export function delayIssues(delayMs: unknown, version: Version): Issue[] {
  const { maxBufferDelayMs } = versionTraits(version);
  return typeof delayMs === 'number' && delayMs > maxBufferDelayMs
    ? [{ path: 'max_buffer_delay_ms', expected: `at most ${maxBufferDelayMs}`, found: String(delayMs) }]
    : [];
}

/** Both fields name the language. */
export function localeIssues({ language: code, locale }: Values): Issue[] {
  const both = typeof code === 'string' && typeof locale === 'string';
  return both ? [{ path: 'locale', expected: 'no locale beside the language', found: locale }] : [];
}

/** The version under these settings. */
export const versionOf = ({ cartesia_version: version }: Values): Version =>
  isVersion(version) ? version : LATEST_VERSION;
