import { describe, expect, it } from 'vitest';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { endpointOf } from '#protocol/registry.ts';
import { withFields } from '../setting-value.ts';
import { presenterVoices, speaksWith, voiceOptions } from './voice-options.ts';

const voice = (id: number | string, ...languages: string[]): VoiceInfo => ({
  id: String(id),
  name: `Voice ${id}`,
  description: '',
  sex: null,
  age: null,
  languages,
  sampleUrl: null,
});
const kugel = endpointOf('kugel-stream');
const murmr = endpointOf('murmr');

describe('the voices of an endpoint', () => {
  it.each(['kugel-stream', 'kugel-multi'])('are those of the catalogue on %s', (id) => {
    const [first] = voiceOptions(endpointOf(id), [voice(1, 'en')], ['A man']);
    expect(first).toMatchObject({ key: '1', name: 'Voice 1', settings: { voice_id: 1 } });
    expect(voiceOptions(endpointOf(id), [voice(1, 'en')], ['A man'])).toHaveLength(1);
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
  const voices = [voice(1, 'de'), voice(2, 'en'), voice(3, 'fr', 'en'), voice(4, 'en', 'de')];
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

  it('are nine at most', () => {
    const many = voiceOptions(
      kugel,
      Array.from({ length: 20 }, (_, at) => voice(at, 'en')),
    );
    const shown = presenterVoices(many, [], kugel, { language: 'en', voice_id: 19 });
    expect(shown).toHaveLength(9);
    expect(shown[0]?.key).toBe('19');
  });
});
