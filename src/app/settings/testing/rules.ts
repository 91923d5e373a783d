import type { Endpoint } from '#protocol/core/endpoint.ts';
import { issuesOf } from '#protocol/core/issue.ts';
import {
  choiceSetting,
  clampedSetting,
  dictionariesSetting,
  type IdForm,
  integerSetting,
  numbersSetting,
  rangeSetting,
  type SettingMeta,
  settingsOf,
  switchSetting,
  voiceSetting,
} from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';

/** An endpoint's rules that no vendor has, with a setting of every kind. */
const words = (title: string, group: SettingMeta['group'], fallback?: unknown) => ({
  title,
  group,
  explanation: `What ${title} does.`,
  ...(fallback === undefined ? { absent: 'chosen by the server' } : { fallback }),
});

const NUMBERED: IdForm = {
  name: 'number',
  toValue: (id) => (/^\d+$/.test(id) ? Number(id) : id),
};

const shape = {
  who: z.optional(voiceSetting(z.union([z.int(), z.string()]), NUMBERED, [], words('Voice', 'Voice'))),
  pace: z.optional(rangeSetting(0.8, 1.2, 0.05, { ...words('Pace', 'Delivery', 1), unit: '×' })),
  grip: z.optional(clampedSetting(1.2, 2.5, 0.1, words('Grip', 'Delivery', 2))),
  rate: z.optional(choiceSetting([8000, 24_000], { ...words('Rate', 'Audio', 24_000), unit: 'Hz' })),
  tongue: z.optional(choiceSetting(['de', 'en', 'yue'], words('Tongue', 'Text'))),
  loud: z.optional(switchSetting(words('Loud', 'Audio', false))),
  patience: z.optional(integerSetting(10, 60_000, { ...words('Patience', 'Chunking', 500), unit: 'ms' })),
  steps: z.optional(
    numbersSetting(1, 10_000, 32, {
      ...words('Steps', 'Chunking', [5, 80]),
      unit: 'characters',
    }),
  ),
  lexica: z.optional(dictionariesSetting(z.int(), NUMBERED, 50, words('Lexica', 'Text'))),
};

const config = z.looseObject(shape);
const settings = settingsOf(shape);

export const rules: Pick<Endpoint, 'settings' | 'checkSettings' | 'reservedFields'> = {
  settings,
  reservedFields: ['secret'],
  checkSettings(value) {
    const parsed = config.safeParse(value);
    return parsed.success ? [] : issuesOf(parsed.error, value, settings);
  },
};
