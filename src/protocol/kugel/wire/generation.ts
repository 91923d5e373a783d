import { wordList } from '#lib/word-list.ts';
import type { Issue } from '../../core/issue.ts';
import {
  choiceSetting,
  clampedSetting,
  dictionariesSetting,
  type IdForm,
  integerSetting,
  rangeSetting,
  switchSetting,
  voiceSetting,
} from '../../core/settings.ts';
import { z } from '../../core/zod.ts';
import { OUTPUT_FORMATS, SAMPLE_RATES } from './audio-format.ts';

/** Codes of `facts 1.7`, without tags such as `de-DE`. */
export const LANGUAGES = wordList(
  'de en fr es it pt nl pl sv da no fi cs hu ro el uk bg tr vi ar hi zh ja ko sk sl hr sr ru he fa ur bn ta yue th id ms',
);

/** `kugel-3` and its older names, which are aliases (`facts 1.4`). */
const MODELS = ['kugel-3', 'kugel-2.5', 'kugel-2-turbo', 'kugel-2', 'kugel-1', 'kugel-1-turbo'] as const;

/** Used and billed where a config names no model (`facts 1.4`, `1.5`). */
export const DEFAULT_MODEL = 'kugel-3';

/** Longest text of one frame, in characters (`facts 1.9`, decision 2.13). */
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

/** The generation parameters of the Kugel endpoints (`facts 1.4`), all optional on the wire. */
export const generationShape = z.partial(
  z.object({
    voice_id: voiceSetting(voiceId, voiceIds, [], {
      title: 'Voice',
      group: 'Voice',
      explanation: 'Who speaks, by number or handle.',
      absent: 'none; text without a voice is refused',
    }),
    cfg_scale: clampedSetting(1.2, 2.5, 0.1, {
      title: 'Guidance',
      group: 'Delivery',
      explanation: 'How closely speech keeps to the voice. The local engine accepts it without effect.',
      fallback: 2,
    }),
    temperature: rangeSetting(0, 1, 0.05, {
      title: 'Temperature',
      group: 'Delivery',
      explanation: '0 is most stable, 1 varies most.',
      fallback: 0.4,
    }),
    speed: rangeSetting(0.8, 1.2, 0.01, {
      title: 'Speed',
      group: 'Delivery',
      explanation: 'Pace of the speech.',
      fallback: 1,
      unit: '×',
    }),
    sample_rate: choiceSetting(SAMPLE_RATES, {
      title: 'Sample rate',
      group: 'Audio',
      explanation: 'Samples a second of the audio.',
      fallback: 24_000,
      unit: 'Hz',
    }),
    output_format: choiceSetting(OUTPUT_FORMATS, {
      title: 'Output format',
      group: 'Audio',
      explanation: 'Codec and rate in one; where both are set it must agree with the sample rate.',
      absent: '16-bit PCM at the sample rate',
    }),
    word_timestamps: switchSetting({
      title: 'Word timing',
      group: 'Audio',
      explanation: 'Lights each word exactly when it is heard, and not by an estimate.',
      fallback: false,
    }),
    language: choiceSetting(LANGUAGES, {
      title: 'Language',
      group: 'Text',
      explanation: 'Language of the text; leaving it out costs the cloud time to detect it.',
      absent: "the voice's own language",
    }),
    normalize: switchSetting({
      title: 'Normalise',
      group: 'Text',
      explanation: 'Reads numbers, dates and abbreviations as words.',
      fallback: true,
    }),
    dictionary_ids: dictionariesSetting(z.int(), { name: 'number', toValue: toNumber }, 50, {
      title: 'Dictionaries',
      group: 'Text',
      explanation: 'How special words are pronounced: all active ones, none, or exactly those chosen.',
      absent: 'all active dictionaries of the project in this language',
    }),
    project_id: integerSetting(1, MAX_PROJECT_ID, {
      title: 'Project',
      group: 'Text',
      explanation: 'Whose dictionaries apply. A dictionary that you choose sets it.',
      absent: 'no dictionary applies',
    }),
    model_id: choiceSetting(MODELS, {
      title: 'Model',
      group: 'Voice',
      explanation: 'Older names are aliases and are billed under the requested name.',
      fallback: DEFAULT_MODEL,
    }),
    max_new_tokens: integerSetting(1, 2048, {
      title: 'Longest output',
      group: 'Delivery',
      explanation: 'Upper bound of generated tokens a chunk. The local engine accepts it without effect.',
      fallback: 2048,
      unit: 'tokens',
    }),
  }),
).shape;

/** A selection of dictionaries needs the project that they belong to (`facts 1.4`). An empty one needs none. */
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
