import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import { type Setting, settingOfKind } from '#protocol/core/settings.ts';
import { endpointOf } from '#protocol/registry.ts';
import { choiceLabels } from '../setting-value.ts';
import { rules } from '../testing/rules.ts';
import {
  searchVoices,
  settingChange,
  typedVoice,
  voiceFilters,
  voiceOfValue,
  voiceTraits,
} from './voice-search.ts';

const voice = (id: number | string, name: string, more: Partial<VoiceInfo> = {}): VoiceInfo => ({
  id: String(id),
  name,
  description: '',
  sex: null,
  age: null,
  languages: [],
  sampleUrl: null,
  ...more,
});

const dictionary = (id: number, settings: object): DictionaryInfo => ({
  id: String(id),
  settings: { ...settings },
  name: '',
  description: '',
  language: null,
  active: true,
});

const marta = voice(1071, 'Marta', {
  sex: 'female',
  languages: ['en', 'de', 'fr'],
  description: 'Warm and calm.',
});
const emil = voice(1072, 'Emil', { sex: 'male', languages: ['de'], description: 'Clear newsreader.' });
const zoe = voice('zoë-2', 'Zoë Martens', { sex: 'female', languages: ['nl', 'yue'] });
const all = [emil, zoe, marta];
const find = (text: string, language: string | null = null, sex: string | null = null) =>
  searchVoices(all, { text, language, sex });

describe('search', () => {
  it.each([
    ['', [emil, zoe, marta]],
    ['mart', [marta, zoe]],
    ['MARTA', [marta]],
    ['zoe', [zoe]],
    ['107', [emil, marta]],
    ['1072', [emil]],
    ['male', [emil]],
    ['german', [emil, marta]],
    ['de', [emil, marta]],
    ['canton', [zoe]],
    ['calm', [marta]],
    ['german fem', [marta]],
    ['arta', [marta]],
    ['xyz', []],
  ])('%j', (text, found) => {
    expect(find(text)).toEqual(found);
  });

  it('filters by language and sex, together with the words', () => {
    expect(find('', 'de')).toEqual([emil, marta]);
    expect(find('', 'de', 'female')).toEqual([marta]);
    expect(find('emil', 'de', 'female')).toEqual([]);
  });

  it('never invents, doubles or, without a query, reorders', () => {
    const voices = fc.array(
      fc.record({ id: fc.nat(), name: fc.string(), sex: fc.constantFrom('male', 'female', null) }),
    );
    fc.assert(
      fc.property(voices, fc.string(), (records, text) => {
        const list = records.map(({ id, name, sex }) => voice(id, name, { sex }));
        const found = searchVoices(list, { text, language: null, sex: null });
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((entry) => list.includes(entry))).toBe(true);
        expect(searchVoices(list, { text: '', language: null, sex: null })).toEqual(list);
      }),
    );
  });
});

describe('words about voices', () => {
  it('offers each language and sex once, by name', () => {
    expect(voiceFilters(all)).toEqual({
      languages: [
        { code: 'yue', name: 'Cantonese' },
        { code: 'nl', name: 'Dutch' },
        { code: 'en', name: 'English' },
        { code: 'fr', name: 'French' },
        { code: 'de', name: 'German' },
      ],
      sexes: ['female', 'male'],
    });
  });

  it('cuts a long list of languages and says how many are left', () => {
    expect(voiceTraits(marta)).toBe('female · en, de, fr');
    expect(voiceTraits(marta, 2)).toBe('female · en, de +1');
    expect(voiceTraits(voice(1, 'X'))).toBe('');
  });

  it.each([
    ['1071', '1071'],
    [' marta ', 'marta'],
    ['  ', null],
    ['two words', null],
  ])('%j typed is the voice %j', (text, id) => {
    expect(typedVoice(text)).toBe(id);
  });

  it('a number and its digits are the same voice', () => {
    expect([voiceOfValue(all, 1071), voiceOfValue(all, '1071')]).toEqual([marta, marta]);
    expect(voiceOfValue(all, undefined)).toBeUndefined();
  });
});

describe('choices', () => {
  it.each([
    ['kugel-stream', '1071', 1071],
    ['kugel-stream', 'marta', 'marta'],
    ['kugel-stream', '99999999999999999999', '99999999999999999999'],
    ['murmr', '1071', '1071'],
  ])('on %s the voice %j is sent as %j', (id, typed, sent) => {
    const setting = settingOfKind(endpointOf(id).settings, 'voice') as Setting;
    expect(settingChange(setting, typed, [])[setting.field]).toBe(sent);
  });

  it.each<[unknown, object]>([
    [[8], { lexica: [8], shelf: 'b' }],
    [['7', 99, 'x'], { lexica: [7, 99, 'x'], shelf: 'a' }],
    [[], { lexica: [] }],
    [undefined, { lexica: undefined }],
  ])('of the dictionaries %j set the fields that those need, and no others', (value, fields) => {
    const lexica = rules.settings.find(({ field }) => field === 'lexica') as Setting;
    const list = [dictionary(7, { shelf: 'a' }), dictionary(8, { shelf: 'b' })];
    expect(settingChange(lexica, value, [], list)).toEqual(fields);
  });

  it('get names where all of them are languages', () => {
    expect(choiceLabels(['de', 'yue'])).toEqual([
      { value: 'de', name: 'German' },
      { value: 'yue', name: 'Cantonese' },
    ]);
    expect(choiceLabels(['de', 'model-3'])).toEqual([{ value: 'de' }, { value: 'model-3' }]);
    expect(choiceLabels([8000])).toEqual([{ value: 8000 }]);
  });
});
