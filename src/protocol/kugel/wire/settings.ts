import { wordList } from '#lib/word-list.ts';
import type { AudioFormat } from '../../core/audio-format.ts';
import * as common from '../../core/common-settings.ts';
import { type Issue, settingsCheck } from '../../core/issue.ts';
import {
  choiceSetting,
  clampedSetting,
  dictionariesSetting,
  type IdForm,
  integerSetting,
  rangeSetting,
  settingsOf,
  switchSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';

export const SAMPLE_RATES = [8000, 16_000, 22_050, 24_000] as const;
export type SampleRate = (typeof SAMPLE_RATES)[number];

/** Codecs by token. The token `ulaw` is `mulaw` in audio frames (kugel-audio-3). */
const OUTPUT_FORMATS = wordList('pcm_8000 pcm_16000 pcm_22050 pcm_24000 ulaw_8000 alaw_8000');

/** The rate without a setting. A `sample_rate` of this value never conflicts. */
const DEFAULT_RATE = 24_000;

/** Of audio frames. */
export const ENCODINGS = ['pcm_s16le', 'mulaw', 'alaw'] as const;

const CODECS: Record<string, KugelAudioFormat['encoding']> = {
  pcm: 'pcm_s16le',
  ulaw: 'mulaw',
  alaw: 'alaw',
};

export interface KugelAudioFormat extends AudioFormat {
  encoding: (typeof ENCODINGS)[number];
  sampleRate: SampleRate;
}

const isOneOf = <T>(values: readonly T[], value: unknown): value is T => values.includes(value as T);

/** Codec and rate of both fields. Unknown values fall back to the default. */
export function audioFormatOf(settings: {
  output_format?: unknown;
  sample_rate?: unknown;
}): KugelAudioFormat {
  const { output_format: token, sample_rate: rate } = settings;
  if (isOneOf(OUTPUT_FORMATS, token)) {
    const [codec = '', hertz] = token.split('_');
    return { encoding: CODECS[codec] ?? 'pcm_s16le', sampleRate: Number(hertz) as SampleRate };
  }
  return { encoding: 'pcm_s16le', sampleRate: isOneOf(SAMPLE_RATES, rate) ? rate : DEFAULT_RATE };
}

/** Two conflicting fields are refused, except for the default rate. */
export function audioFormatIssues(settings: { output_format?: unknown; sample_rate?: unknown }): Issue[] {
  const { output_format: token, sample_rate: rate } = settings;
  if (!isOneOf(OUTPUT_FORMATS, token) || rate === undefined || rate === DEFAULT_RATE) return [];
  const { sampleRate } = audioFormatOf(settings);
  return rate === sampleRate
    ? []
    : [
        {
          path: 'sample_rate',
          expected: `${sampleRate}, because output_format is ${token}`,
          found: String(rate),
        },
      ];
}

/** Codes of languages, without tags such as `de-DE` (kugel-text-2). */
export const LANGUAGES = wordList(
  'de en fr es it pt nl pl sv da no fi cs hu ro el uk bg tr vi ar hi zh ja ko sk sl hr sr ru he fa ur bn ta yue th id ms',
);

/** `kugel-3` and its older names, which are aliases. */
const MODELS = ['kugel-3', 'kugel-2.5', 'kugel-2-turbo', 'kugel-2', 'kugel-1', 'kugel-1-turbo'] as const;

/** Used and billed where a config names no model. */
export const DEFAULT_MODEL = 'kugel-3';

/** Longest text of one frame, in characters (kugel-text-1). */
export const MAX_TEXT_CHARS = 10_000;

/** The project that all keys of the local server share. The page begins with it. */
export const PROJECT_ID = 1;

/** Ours, because the vendor names no limit: the largest whole number of common databases. */
const MAX_PROJECT_ID = 2 ** 31 - 1;

/** Numbers travel as numbers, also where a person has typed them. */
const toNumber = (id: string): number | string =>
  /^\d+$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : id;

const voiceIds: IdForm = { name: 'number or handle', toValue: toNumber };
const voiceId = z.union([z.int().check(z.nonnegative()), z.string().check(z.minLength(1))]);

/** The generation parameters of the Kugel endpoints, all optional on the wire. */
export const generationShape = z.partial(
  z.object({
    voice_id: common.voice(voiceId, voiceIds, { absent: 'none; text without a voice is refused' }),
    cfg_scale: clampedSetting(1.2, 2.5, 0.1, {
      title: 'Guidance',
      group: 'Delivery',
      explanation: 'How closely speech keeps to the voice.',
      fallback: 2,
      hasNoEffectHere: true,
    }),
    temperature: rangeSetting(0, 1, 0.05, {
      title: 'Temperature',
      group: 'Delivery',
      explanation: '0 is most stable, 1 varies most.',
      fallback: 0.4,
    }),
    speed: common.speed(0.8, 1.2, 0.01),
    sample_rate: common.sampleRate(SAMPLE_RATES, { fallback: 24_000 }),
    output_format: common.outputFormat(OUTPUT_FORMATS, {
      also: 'Where both are set it must agree with the sample rate.',
      absent: '16-bit PCM at the sample rate',
    }),
    word_timestamps: common.wordTimes(),
    language: choiceSetting(
      LANGUAGES,
      common.languageWords({
        also: 'Leaving it out costs the cloud time to detect it.',
        absent: 'that of the voice',
      }),
    ),
    normalize: switchSetting(common.numbersAsWords({ fallback: true })),
    dictionary_ids: dictionariesSetting(
      z.int(),
      { name: 'number', toValue: toNumber },
      50,
      common.dictionariesWords({
        also: 'All active ones, none, or exactly those chosen.',
        absent: 'all active dictionaries of the project in this language',
      }),
    ),
    project_id: integerSetting(1, MAX_PROJECT_ID, {
      title: 'Project',
      group: 'Text',
      explanation: 'Whose dictionaries apply. A dictionary that you choose sets it.',
      absent: 'no dictionary applies',
    }),
    model_id: choiceSetting(
      MODELS,
      common.modelWords({
        also: 'Older names are aliases and are billed under the requested name.',
        fallback: DEFAULT_MODEL,
      }),
    ),
    max_new_tokens: integerSetting(1, 2048, {
      title: 'Longest output',
      group: 'Delivery',
      explanation: 'Upper bound of generated tokens a chunk.',
      fallback: 2048,
      unit: 'tokens',
      hasNoEffectHere: true,
    }),
  }),
).shape;

/** A selection of dictionaries needs the project that they belong to (kugel-text-9). An empty one needs none. */
export const selectionIssues = ({
  dictionary_ids: ids = [],
  project_id: project,
}: {
  dictionary_ids?: readonly number[] | undefined;
  project_id?: number | undefined;
}): Issue[] =>
  ids.length === 0 || project !== undefined
    ? []
    : [{ path: 'dictionary_ids', expected: 'their project_id beside them', found: 'none' }];

/** Limits and settings of `/ws/tts/stream`, and the settings of `/ws/tts`. */

/** The server ends an open turn after this long without text (kugel-end-1). */
export const IDLE_TURN_MS = 5000;

export const chunkingShape = z.partial(
  z.object({
    chunk_length_schedule: common.schedule(1, MAX_TEXT_CHARS, 32, { fallback: [5, 80, 150, 250] }),
    auto_mode: common.autoMode({ also: 'Starts at the first clean sentence boundary.' }),
    flush_timeout_ms: integerSetting(10, 60_000, {
      title: 'Flush time-out',
      group: 'Chunking',
      explanation: 'Speaks the buffered text after this long without new text; the turn stays open.',
      fallback: 500,
      unit: 'ms',
    }),
    max_buffer_length: integerSetting(1, MAX_TEXT_CHARS, {
      title: 'Longest buffer',
      group: 'Chunking',
      explanation: 'Characters at which buffered text is spoken in any case.',
      fallback: 1000,
      unit: 'characters',
    }),
  }),
).shape;
export const streamConfigShape = { ...generationShape, ...chunkingShape };

export const streamSettings = settingsOf(streamConfigShape);

export const ttsSettings = settingsOf(generationShape);

export const streamConfigIssues = settingsCheck(
  z.looseObject(streamConfigShape),
  streamSettings,
  (config) => [...audioFormatIssues(config), ...selectionIssues(config)],
);

/** Limits and settings of `/ws/tts/multi`. */

/** Live contexts of one connection (kugel-context-1). */
export const MAX_CONTEXTS = 20;

/** The server closes a context after this long without activity (kugel-context-19). */
export const IDLE_CONTEXT_MS = 20_000;

/** Settings of the whole connection, on any message, at the top level or inside `voice_settings` (kugel-context-6). */
export const sessionShape = {
  model_id: generationShape.model_id,
  sample_rate: generationShape.sample_rate,
  output_format: generationShape.output_format,
  normalize: generationShape.normalize,
  language: generationShape.language,
  word_timestamps: generationShape.word_timestamps,
  dictionary_ids: generationShape.dictionary_ids,
  project_id: generationShape.project_id,
};

/** Settings of a context, bound at its creation (kugel-context-5). These three belong in `voice_settings`. */
export const voiceShape = {
  voice_id: generationShape.voice_id,
  cfg_scale: generationShape.cfg_scale,
  max_new_tokens: generationShape.max_new_tokens,
};

/** Also bound at creation, but read at the top level only: `voice_settings` drops them (kugel-context-7). */
export const deliveryShape = {
  speed: generationShape.speed,
  temperature: generationShape.temperature,
};

export const sessionSettings = settingsOf(sessionShape);
export const voiceSettings = settingsOf(voiceShape);
export const deliverySettings = settingsOf(deliveryShape);
/** All settings of a context, in either place of the frame. */
export const contextSettings = [...voiceSettings, ...deliverySettings];

export const sessionSettingIssues = settingsCheck(z.looseObject(sessionShape), sessionSettings, (config) => [
  ...audioFormatIssues(config),
  ...selectionIssues(config),
]);
export const contextSettingIssues = settingsCheck(
  z.looseObject({ ...voiceShape, ...deliveryShape }),
  contextSettings,
);
