import {
  choiceSetting,
  type IdForm,
  numbersSetting,
  rangeSetting,
  type SettingWords,
  switchSetting,
  voiceSetting,
} from './settings.ts';
import { z } from './zod.ts';

/**
 * Settings that mean the same at several vendors: title, group, explanation, unit and control. A vendor adds values,
 * default and what differs.
 */

/** A vendor's part of a common setting. `also` follows the common explanation. */
type Own = Partial<Omit<SettingWords, 'group' | 'explanation'>> & { also?: string };

const worded = (
  title: string,
  group: SettingWords['group'],
  explanation: string,
  { also, ...own }: Own = {},
): SettingWords => ({ title, group, explanation: also ? `${explanation} ${also}` : explanation, ...own });

/** @param brings other fields of its catalogue entry that the voice needs */
export const voice = <S extends z.ZodMiniType>(
  schema: S,
  ids: IdForm,
  own: Own,
  brings: readonly string[] = [],
) => voiceSetting(schema, ids, brings, worded('Voice', 'Voice', `Who speaks, by ${ids.name}.`, own));

/** A voice by a word as its id. */
export const voiceId = (own: Own) =>
  voice(z.string().check(z.regex(/^[\w-]{1,64}$/)), { name: 'id', toValue: (id) => id }, own);

export const speed = (min: number, max: number, step: number, own?: Own) =>
  rangeSetting(
    min,
    max,
    step,
    worded('Speed', 'Delivery', 'Pace of the speech.', { fallback: 1, unit: '×', ...own }),
  );
export const sampleRate = <const V extends readonly number[]>(values: V, own: Own) =>
  choiceSetting(values, worded('Sample rate', 'Audio', 'Samples per second.', { unit: 'Hz', ...own }));
export const encoding = <const V extends readonly string[]>(values: V, own: Own) =>
  choiceSetting(values, worded('Encoding', 'Audio', 'Form of the samples.', own));
export const outputFormat = <const V extends readonly string[]>(values: V, own: Own) =>
  choiceSetting(values, worded('Output format', 'Audio', 'Codec and rate in one.', own));
export const wordTimes = () =>
  switchSetting(
    worded('Word timing', 'Audio', 'Lights each word exactly when it is heard, and not by an estimate.', {
      fallback: false,
      isWordTimes: true,
    }),
  );
export const schedule = (min: number, max: number, maxItems: number, own: Own) =>
  numbersSetting(
    min,
    max,
    maxItems,
    worded(
      'Schedule',
      'Chunking',
      'Characters to have before each chunk is spoken; the last value repeats.',
      { unit: 'characters', ...own },
    ),
  );
export const autoMode = (own: Own) =>
  switchSetting(worded('Auto mode', 'Chunking', 'Ignores the schedule.', { fallback: false, ...own }));

/** Words of settings whose control follows from their type on the wire. */
export const modelWords = (own: Own) =>
  worded('Model', 'Voice', 'Model that makes the speech; the local server has one for all.', own);
export const languageWords = (own: Own) =>
  worded('Language', 'Text', 'Language of the text.', { ...own, isLanguage: true });
export const numbersAsWords = (own: Own) =>
  worded('Normalise', 'Text', 'Reads numbers, dates and abbreviations as words.', own);
export const dictionariesWords = (own: Own) =>
  worded('Dictionaries', 'Text', 'How special words are pronounced.', own);
