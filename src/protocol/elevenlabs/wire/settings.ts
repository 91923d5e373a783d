import { wordList } from '#lib/word-list.ts';
import { partialCheck } from '../../core/issue.ts';
import {
  choiceSetting,
  integerSetting,
  nullable,
  numbersSetting,
  openChoiceSetting,
  placedSettings,
  rangeSetting,
  settingsOf,
  switchSetting,
  textSetting,
  voiceIdSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { DEFAULT_MODEL, LANGUAGES, MODEL_IDS } from './models.ts';
import { DEFAULT_FORMAT, OUTPUT_FORMATS } from './output-format.ts';

/** Settings of ElevenLabs: those of the address (`facts-elevenlabs 1.2`) and those of messages (2). */

/** Contexts of one connection. A closed one counts until its final (`facts-elevenlabs 5.2`, 4.4.3). */
export const MAX_CONTEXTS = 5;

/** Default and largest seconds of `inactivity_timeout`. */
const IDLE_SECONDS = { default: 20, max: 180 } as const;

/** Bounds of each entry of `chunk_length_schedule`, in characters, and the default (`facts-elevenlabs 2.2.2`). */
export const SCHEDULE = { min: 50, max: 500, default: [120, 160, 250, 290] } as const;

/** Entries that one schedule may have. Ours: the last one repeats, so more change nothing. */
const MAX_SCHEDULE = 20;

const voiceShape = {
  voice_id: voiceIdSetting({
    title: 'Voice',
    group: 'Voice',
    explanation: 'Who speaks, by id; it holds for a whole connection.',
    absent: 'none; the address needs one',
  }),
};

const addressShape = {
  model_id: openChoiceSetting(MODEL_IDS, {
    title: 'Model',
    group: 'Voice',
    explanation: 'Flash is fastest; v3 and later do not speak on these sockets.',
    fallback: DEFAULT_MODEL,
  }),
  output_format: choiceSetting(OUTPUT_FORMATS, {
    title: 'Output format',
    group: 'Audio',
    explanation: 'Codec, rate and kbit/s in one; some need a larger plan. Opus is recorded and not heard.',
    fallback: DEFAULT_FORMAT,
  }),
  sync_alignment: switchSetting({
    title: 'Timing in every frame',
    group: 'Audio',
    explanation: 'Sends the times of characters with each frame of audio, not once a segment.',
    fallback: false,
  }),
  language_code: choiceSetting(LANGUAGES, {
    title: 'Language',
    group: 'Text',
    explanation: 'Language of the text; only the models of v2.5 take it.',
    absent: 'found in the text',
  }),
  apply_text_normalization: choiceSetting(['auto', 'on', 'off'], {
    title: 'Normalise',
    group: 'Text',
    explanation: 'Reads numbers, dates and abbreviations as words.',
    fallback: 'auto',
  }),
  apply_language_text_normalization: switchSetting({
    title: 'Normalise by language',
    group: 'Text',
    explanation: 'A slower normalisation of Japanese. The local engine accepts it without effect.',
    fallback: false,
  }),
  enable_ssml_parsing: switchSetting({
    title: 'SSML',
    group: 'Text',
    explanation: 'Reads tags such as <break time="1s"/>, each of them within one message.',
    fallback: false,
  }),
  auto_mode: switchSetting({
    title: 'Auto mode',
    group: 'Delivery',
    explanation: 'Speaks each message at once on its own; meant for whole sentences.',
    fallback: false,
  }),
  seed: integerSetting(0, 2 ** 32 - 1, {
    title: 'Seed',
    group: 'Delivery',
    explanation: 'Repeats a delivery as well as the model can.',
    absent: 'another delivery each time',
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
  }),
};

/** In `voice_settings` (`facts-elevenlabs 2.1`). */
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
    explanation: 'How closely speech keeps to the voice. The local engine accepts it without effect.',
    fallback: 0.75,
  }),
  style: rangeSetting(0, 1, 0.05, {
    title: 'Style',
    group: 'Delivery',
    explanation: 'Exaggerates the style of the voice. The local engine accepts it without effect.',
    fallback: 0,
  }),
  use_speaker_boost: switchSetting({
    title: 'Speaker boost',
    group: 'Delivery',
    explanation: 'Keeps closer to the speaker. The local engine accepts it without effect.',
    fallback: true,
  }),
  speed: rangeSetting(0.7, 1.2, 0.01, {
    title: 'Speed',
    group: 'Delivery',
    explanation: 'Pace of the speech.',
    fallback: 1,
    unit: '×',
  }),
};

/** In the first message beside `voice_settings` (`facts-elevenlabs 2.2`). */
const firstMessageShape = {
  chunk_length_schedule: numbersSetting(SCHEDULE.min, SCHEDULE.max, MAX_SCHEDULE, {
    title: 'Chunk schedule',
    group: 'Text',
    explanation: 'Characters that are collected before each generation; the last entry repeats.',
    fallback: SCHEDULE.default,
  }),
  pronunciation_dictionary_locators: textSetting(
    z.string().check(z.regex(/^[\w-]+:[\w-]+(?:\s*,\s*[\w-]+:[\w-]+){0,2}$/)),
    'up to three of dictionary:version, with commas between',
    {
      title: 'Dictionaries',
      group: 'Text',
      explanation: 'How special words are pronounced, by dictionary and version. The local engine has none.',
      absent: 'none',
    },
  ),
};

/** Fields of messages and of the address that are never settings. */
export const RESERVED_FIELDS: readonly string[] = wordList(
  'text xi_api_key xi-api-key authorization single_use_token context_id',
);

/** In `voice_settings` of messages. */
export const DELIVERY_SETTINGS = settingsOf(deliveryShape);

/** Of messages, fixed once sent (`facts-elevenlabs 2.2.1`). */
export const MESSAGE_SETTINGS = settingsOf({ ...deliveryShape, ...firstMessageShape });

/** Of a whole socket with several contexts. */
export const multiSettings = placedSettings('query', addressShape);
/** Of one speaker there. */
export const ofSpeaker = [...placedSettings('path', voiceShape), ...MESSAGE_SETTINGS];
export const streamSettings = [...placedSettings('path', voiceShape), ...multiSettings, ...MESSAGE_SETTINGS];

export const streamSettingIssues = partialCheck(streamSettings);
export const multiSettingIssues = partialCheck(multiSettings);
export const speakerSettingIssues = partialCheck(ofSpeaker);

/** The schema of `voice_settings`, in which null is as good as absent (`facts-elevenlabs 2.2.8`). */
export const voiceSettings = z.nullish(z.looseObject(nullable(deliveryShape)));

/** The time after which the server ends an idle connection or context, in ms. */
export const idleMsOf = ({ inactivity_timeout: seconds }: Readonly<Record<string, unknown>>): number =>
  1000 * (typeof seconds === 'number' ? seconds : IDLE_SECONDS.default);
