import { smallest } from '#lib/collections/arrays.ts';
import { wordList } from '#lib/word-list.ts';
import type { AudioEncoding, AudioFormat } from '../../core/audio-format.ts';
import * as common from '../../core/common-settings.ts';
import { partialCheck } from '../../core/issue.ts';
import {
  choiceSetting,
  integerSetting,
  nullable,
  openChoiceSetting,
  placedSettings,
  rangeSetting,
  settingsOf,
  switchSetting,
  textSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';

/** Models of ElevenLabs: those of its sockets, and those of calls. */

export interface Model {
  name: string;
  languages: readonly string[];
  /** Of one request. */
  maxChars: number;
  creditsPerCharacter: number;
}

const OF_FLASH = wordList(
  'ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh',
);
const OF_MULTILINGUAL = OF_FLASH.filter((code) => !['hu', 'no', 'vi'].includes(code));

/** All language codes that any model takes. */
export const LANGUAGES = OF_FLASH;

export const MODELS = {
  eleven_flash_v2_5: { name: 'Flash v2.5', languages: OF_FLASH, maxChars: 40_000, creditsPerCharacter: 0.5 },
  eleven_flash_v2: { name: 'Flash v2', languages: ['en'], maxChars: 30_000, creditsPerCharacter: 0.5 },
  eleven_turbo_v2_5: { name: 'Turbo v2.5', languages: OF_FLASH, maxChars: 40_000, creditsPerCharacter: 0.5 },
  eleven_turbo_v2: { name: 'Turbo v2', languages: ['en'], maxChars: 30_000, creditsPerCharacter: 0.5 },
  eleven_multilingual_v2: {
    name: 'Multilingual v2',
    languages: OF_MULTILINGUAL,
    maxChars: 10_000,
    creditsPerCharacter: 1,
  },
} as const satisfies Record<string, Model>;

/** Models that speak in calls alone, at a credit a character, which is ours. */
const OF_CALLS = {
  eleven_v3: { name: 'v3', languages: OF_FLASH, maxChars: 5000, creditsPerCharacter: 1 },
  eleven_v3_conversational: {
    name: 'v3 Conversational',
    languages: OF_FLASH,
    maxChars: 5000,
    creditsPerCharacter: 1,
  },
  eleven_v4: { name: 'v4', languages: OF_FLASH, maxChars: 10_000, creditsPerCharacter: 1 },
  eleven_v4_turbo: { name: 'v4 Turbo', languages: OF_FLASH, maxChars: 10_000, creditsPerCharacter: 1 },
} as const satisfies Record<string, Model>;

/** All models of calls that speak. */
export const REST_MODELS = { ...MODELS, ...OF_CALLS };

export type RestModelId = keyof typeof REST_MODELS;

export const REST_MODEL_IDS = Object.keys(REST_MODELS) as RestModelId[];

export const isRestModelId = (id: string): id is RestModelId => Object.hasOwn(REST_MODELS, id);

export type ModelId = keyof typeof MODELS;

const MODEL_IDS = Object.keys(MODELS) as ModelId[];

/** The model where the address names none (elevenlabs-model-9). */
export const DEFAULT_MODEL: ModelId = 'eleven_multilingual_v2';

export const isModelId = (id: string): id is ModelId => Object.hasOwn(MODELS, id);

/** Models of the other protocol, which these sockets refuse (elevenlabs-model-6). */
export const isDialogueModel = (id: string): boolean => /^eleven_v[34](?:_|$)/.test(id);

/** Characters of one request, of the model that takes fewest. */
export const MAX_TEXT_CHARS = smallest(Object.values(MODELS).map(({ maxChars }) => maxChars));

/** Formats of the sockets. */
export const OUTPUT_FORMATS = wordList(
  'pcm_24000 pcm_8000 pcm_16000 pcm_22050 pcm_44100 ulaw_8000 alaw_8000 mp3_22050_32 mp3_44100_32 mp3_44100_64 mp3_44100_96 mp3_44100_128 mp3_44100_192 opus_48000_32 opus_48000_64 opus_48000_96 opus_48000_128 opus_48000_192',
);

/** The format where the address names none (elevenlabs-audio-10). */
export const DEFAULT_FORMAT = 'mp3_44100_128';

const ENCODINGS: Readonly<Record<string, AudioEncoding>> = {
  pcm: 'pcm_s16le',
  ulaw: 'mulaw',
  alaw: 'alaw',
  mp3: 'mp3',
  opus: 'opus',
};

/** Encoding, rate and kbit/s of a format; null for a text that is none. Formats that only REST takes are read as well. */
export function readOutputFormat(token: string): (AudioFormat & { kbits: number | null }) | null {
  const [, name = '', rate, kbits] = /^(pcm|ulaw|alaw|mp3|opus)_(\d{4,5})(?:_(\d{2,3}))?$/.exec(token) ?? [];
  const encoding = ENCODINGS[name];
  if (!encoding) return null;
  return { encoding, sampleRate: Number(rate), kbits: kbits === undefined ? null : Number(kbits) };
}

/** The format of the audio under these settings. No frame names it. */
export function audioFormatOf({ output_format: token }: Readonly<Record<string, unknown>>): AudioFormat {
  const read = readOutputFormat(typeof token === 'string' ? token : DEFAULT_FORMAT);
  const { encoding, sampleRate } = read ?? { encoding: 'mp3', sampleRate: 44_100 };
  return { encoding, sampleRate };
}

/** Settings of ElevenLabs: those of the address and those of messages. */

/** Contexts of one connection. A closed one counts until its final (elevenlabs-context-1 elevenlabs-context-2). */
export const MAX_CONTEXTS = 5;

/** Default and largest seconds of `inactivity_timeout`. */
const IDLE_SECONDS = { default: 20, max: 180 } as const;

/** Bounds of each entry of `chunk_length_schedule`, in characters, and the default (elevenlabs-message-4). */
export const SCHEDULE = { min: 50, max: 500, default: [120, 160, 250, 290] } as const;

/** Entries that one schedule may have. Ours: the last one repeats, so more change nothing. */
const MAX_SCHEDULE = 20;

const voiceShape = {
  voice_id: common.voiceId({
    also: 'Another one needs a new connection.',
    absent: 'none; the address needs one',
  }),
};

const addressShape = {
  model_id: openChoiceSetting(
    MODEL_IDS,
    common.modelWords({
      also: 'Flash is fastest; v3 and later do not speak on these sockets.',
      fallback: DEFAULT_MODEL,
    }),
  ),
  output_format: common.outputFormat(OUTPUT_FORMATS, {
    also: 'Some also name kbit/s, and some need a larger plan. Opus is recorded and not heard.',
    fallback: DEFAULT_FORMAT,
  }),
  sync_alignment: switchSetting({
    title: 'Timing in every frame',
    group: 'Audio',
    explanation: 'Sends the times of characters with each frame of audio, not once a segment.',
    fallback: false,
  }),
  language_code: choiceSetting(
    LANGUAGES,
    common.languageWords({ also: 'Only the models of v2.5 take it.', absent: 'found in the text' }),
  ),
  apply_text_normalization: choiceSetting(['auto', 'on', 'off'], common.numbersAsWords({ fallback: 'auto' })),
  apply_language_text_normalization: switchSetting({
    title: 'Normalise by language',
    group: 'Text',
    explanation: 'A slower normalisation of Japanese.',
    fallback: false,
    hasNoEffectHere: true,
  }),
  enable_ssml_parsing: switchSetting({
    title: 'SSML',
    group: 'Text',
    explanation: 'Reads tags such as <break time="1s"/>, each of them within one message.',
    fallback: false,
  }),
  auto_mode: common.autoMode({
    also: 'Speaks each message at once on its own; meant for whole sentences.',
  }),
  seed: integerSetting(0, 2 ** 32 - 1, {
    title: 'Seed',
    group: 'Delivery',
    explanation: 'Repeats a delivery as well as the model can.',
    absent: 'another delivery each time',
    hasNoEffectHere: true,
  }),
  inactivity_timeout: integerSetting(1, IDLE_SECONDS.max, {
    title: 'Inactivity time-out',
    group: 'Connection',
    explanation: 'The server ends what gets no text for this long.',
    fallback: IDLE_SECONDS.default,
    unit: 's',
  }),
  enable_logging: switchSetting({
    title: 'Logging',
    group: 'Connection',
    explanation: 'Off: the vendor keeps nothing of the text; enterprise plans only.',
    fallback: true,
    hasNoEffectHere: true,
  }),
};

/** In `voice_settings`. */
const deliveryShape = {
  stability: rangeSetting(0, 1, 0.05, {
    title: 'Stability',
    group: 'Delivery',
    explanation: 'Low varies most, high is most even.',
    fallback: 0.5,
  }),
  similarity_boost: rangeSetting(0, 1, 0.05, {
    title: 'Similarity',
    group: 'Delivery',
    explanation: 'How closely speech keeps to the voice.',
    fallback: 0.75,
    hasNoEffectHere: true,
  }),
  style: rangeSetting(0, 1, 0.05, {
    title: 'Style',
    group: 'Delivery',
    explanation: 'Exaggerates the style of the voice.',
    fallback: 0,
    hasNoEffectHere: true,
  }),
  use_speaker_boost: switchSetting({
    title: 'Speaker boost',
    group: 'Delivery',
    explanation: 'Keeps closer to the speaker.',
    fallback: true,
    hasNoEffectHere: true,
  }),
  speed: common.speed(0.7, 1.2, 0.01),
};

/** In the first message beside `voice_settings`. */
const firstMessageShape = {
  chunk_length_schedule: common.schedule(SCHEDULE.min, SCHEDULE.max, MAX_SCHEDULE, {
    fallback: SCHEDULE.default,
  }),
  pronunciation_dictionary_locators: textSetting(
    z.string().check(z.regex(/^[\w-]+:[\w-]+(?:\s*,\s*[\w-]+:[\w-]+){0,2}$/)),
    'up to three of dictionary:version, with commas between',
    common.dictionariesWords({ also: 'By dictionary and version.', absent: 'none', hasNoEffectHere: true }),
  ),
};

/** Fields of messages and of the address that are never settings. */
export const RESERVED_FIELDS: readonly string[] = wordList(
  'text xi_api_key xi-api-key authorization single_use_token context_id',
);

/** Form of a token that opens one connection. A key never has this prefix (elevenlabs-key-6). */
export const TOKEN = { prefix: 'sutkn_', name: 'single_use_token' } as const;

/** The key for messages and calls; empty for a token, which is in the address alone. */
export const accountKey = (key: string): string => (key.startsWith(TOKEN.prefix) ? '' : key);

/** In `voice_settings` of messages. */
export const DELIVERY_SETTINGS = settingsOf(deliveryShape);

/** Of messages, fixed once sent (elevenlabs-voice-7). */
export const MESSAGE_SETTINGS = settingsOf({ ...deliveryShape, ...firstMessageShape });

/** Of a whole socket with several contexts. */
export const multiSettings = placedSettings('query', addressShape);
/** Of one speaker there. */
export const ofSpeaker = [...placedSettings('path', voiceShape), ...MESSAGE_SETTINGS];
export const streamSettings = [...placedSettings('path', voiceShape), ...multiSettings, ...MESSAGE_SETTINGS];

export const streamSettingIssues = partialCheck(streamSettings);
export const multiSettingIssues = partialCheck(multiSettings);
export const speakerSettingIssues = partialCheck(ofSpeaker);

/** The schema of `voice_settings`, in which null is as good as absent. */
export const voiceSettings = z.nullish(z.looseObject(nullable(deliveryShape)));

/** The time after which the server ends an idle connection or context, in ms. */
export const idleMsOf = ({ inactivity_timeout: seconds }: Readonly<Record<string, unknown>>): number =>
  1000 * (typeof seconds === 'number' ? seconds : IDLE_SECONDS.default);
