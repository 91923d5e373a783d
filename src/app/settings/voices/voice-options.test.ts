import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import { type Setting, settingOfKind } from '#protocol/core/settings.ts';
import { endpointOf } from '#protocol/registry.ts';
import { choiceLabels, withFields } from '../setting-value.ts';
import { rules } from '../testing/rules.ts';
import {
  ANY_VOICE,
  presenterVoices,
  searchVoices,
  settingChange,
  speaksWith,
  typedVoice,
  type VoiceQuery,
  voiceFilters,
  voiceOfValue,
  voiceOptions,
  voiceTraits,
} from './voice-options.ts';

const voice = (id: number | string, more: Partial<VoiceInfo> = {}): VoiceInfo => ({
  id: String(id),
  name: `Voice ${id}`,
  description: '',
  sex: null,
  age: null,
  languages: [],
  sampleUrl: null,
  ...more,
});
const speaking = (id: number, ...languages: string[]) => voice(id, { languages });
const kugel = endpointOf('kugel-stream');
const murmr = endpointOf('murmr');

describe('the voices of an endpoint', () => {
  it.each(['kugel-stream', 'kugel-multi'])('are those of the catalogue on %s', (id) => {
    const [first] = voiceOptions(endpointOf(id), [speaking(1, 'en')], ['A man']);
    expect(first).toMatchObject({ key: '1', name: 'Voice 1', settings: { voice_id: 1 } });
    expect(voiceOptions(endpointOf(id), [speaking(1, 'en')], ['A man'])).toHaveLength(1);
  });

  it('are descriptions and saved voices on murmr; each kind unsets the other', () => {
    const saved = { ...voice('v1'), settings: { voice_clone_prompt: 'QUJDRA==' } };
    const choices = voiceOptions(murmr, [saved], ['A tired robot']);
    expect(choices.map(({ key }) => key)).toContain('A tired robot');
    const robot = choices.find(({ key }) => key === 'A tired robot');
    const clone = choices.find(({ key }) => key === 'v1');
    const spoken = withFields({ language: 'English', ...clone?.settings }, robot?.settings ?? {});
    expect(spoken).toEqual({ language: 'English', voice_description: 'A tired robot' });
    expect(withFields(spoken, clone?.settings ?? {})).toEqual({
      language: 'English',
      voice: 'v1',
      voice_clone_prompt: 'QUJDRA==',
    });
    for (const choice of choices)
      expect(murmr.checkSettings(withFields(murmr.initialSettings, choice.settings))).toEqual([]);
  });

  it('knows the one that settings speak with', () => {
    const [one, two] = voiceOptions(kugel, [voice(1), voice(2)]);
    expect(one && speaksWith(one, { voice_id: '1', language: 'en' })).toBe(true);
    expect(two && speaksWith(two, { voice_id: 1 })).toBe(false);
  });
});

describe('the voices of the presenter', () => {
  const voices = [speaking(1, 'de'), speaking(2, 'en'), speaking(3, 'fr', 'en'), speaking(4, 'en', 'de')];
  const keysOf = (favourites: string[], settings: object) =>
    presenterVoices(voiceOptions(kugel, voices), favourites, kugel, { ...settings })
      .map(({ key }) => key)
      .join('');

  it.each([
    ['those whose language it is come first', [], { language: 'en', voice_id: 2 }, '243'],
    ['all without a language', [], {}, '1234'],
    ['favourites lead', ['3'], { language: 'en', voice_id: 2 }, '324'],
    ['the voice in use is always there', [], { language: 'en', voice_id: 1 }, '1243'],
  ])('%s', (_, favourites, settings, keys) => {
    expect(keysOf(favourites, settings)).toBe(keys);
  });

  it('finds a language by the mark of its setting, not by its name', () => {
    const endpoint = endpointOf('elevenlabs-stream');
    const inUse = { language_code: 'de', voice_id: '1' };
    const shown = presenterVoices(voiceOptions(endpoint, voices), [], endpoint, inUse);
    expect(shown.map(({ voice: each }) => each?.id)).toEqual(['1', '4']);
  });

  it('are nine at most', () => {
    const many = voiceOptions(
      kugel,
      Array.from({ length: 20 }, (_, at) => speaking(at, 'en')),
    );
    const shown = presenterVoices(many, [], kugel, { language: 'en', voice_id: 19 });
    expect(shown).toHaveLength(9);
    expect(shown[0]?.key).toBe('19');
  });
});

const dictionary = (id: number, settings: object): DictionaryInfo => ({
  id: String(id),
  settings: { ...settings },
  name: '',
  description: '',
  language: null,
  active: true,
});

const marta = voice(1071, {
  name: 'Marta',
  sex: 'female',
  languages: ['en', 'de', 'fr'],
  description: 'Warm and calm.',
});
const emil = voice(1072, { name: 'Emil', sex: 'male', languages: ['de'], description: 'Clear newsreader.' });
const zoe = voice('zoë-2', { name: 'Zoë Martens', sex: 'female', languages: ['nl', 'yue'] });
const all = [emil, zoe, marta];
const find = (query: Partial<VoiceQuery>, favourites: string[] = []) =>
  searchVoices(voiceOptions(kugel, all), { ...ANY_VOICE, ...query }, favourites).map(
    ({ voice: each }) => each,
  );

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
    expect(find({ text })).toEqual(found);
  });

  it.each<[Partial<VoiceQuery>, string[], VoiceInfo[]]>([
    [{ language: 'de' }, [], [emil, marta]],
    [{ language: 'de', sex: 'female' }, [], [marta]],
    [{ language: 'de', sex: 'female', text: 'emil' }, [], []],
    [{}, ['1071'], [marta, emil, zoe]],
    [{ onlyFavourites: true }, ['1071'], [marta]],
    [{ language: 'nl' }, ['1071'], [zoe]],
    [{ text: '107' }, ['1071'], [emil, marta]],
  ])('%j with favourites %j', (query, favourites, found) => {
    expect(find(query, favourites)).toEqual(found);
  });

  it('finds descriptions by their words, and leaves them out where a language is asked for', () => {
    const options = voiceOptions(murmr, all, ['A tired robot']);
    const named = (query: Partial<VoiceQuery>) =>
      searchVoices(options, { ...ANY_VOICE, ...query }, []).map(({ name }) => name);
    expect(named({ text: 'tired' })).toEqual(['A tired robot']);
    expect(named({ language: 'fr' })).toEqual(['Marta']);
  });

  it('never invents, doubles or, without a query, reorders', () => {
    const voices = fc.array(
      fc.record({ id: fc.nat(), name: fc.string(), sex: fc.constantFrom('male', 'female', null) }),
    );
    fc.assert(
      fc.property(voices, fc.string(), (records, text) => {
        const list = voiceOptions(
          kugel,
          records.map(({ id, name, sex }) => voice(id, { name, sex })),
        );
        const found = searchVoices(list, { ...ANY_VOICE, text }, []);
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((entry) => list.includes(entry))).toBe(true);
        expect(searchVoices(list, ANY_VOICE, [])).toEqual(list);
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
    expect(voiceTraits(marta)).toBe('female · English, German, French');
    expect(voiceTraits(marta, 2)).toBe('female · English, German +1');
    expect(voiceTraits(voice(1))).toBe('');
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
