import { beforeAll, describe, expect, it } from 'vitest';
import { kugelStream } from '#protocol/kugel/endpoints.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { loadEspeak } from '../espeak/espeak-module.ts';
import { createSpeaker, type Speak } from '../espeak/speaker.ts';
import { espeakLanguage, isLanguage, SPOKEN_LANGUAGES } from '../languages.ts';
import { LOCAL_CATALOGUE } from './voice-catalogue.ts';
import { describedVoice } from './voice-description.ts';
import { type EngineVoice, VOICES, type Voice } from './voices.ts';

let speak: Speak;
beforeAll(async () => {
  const loaded = await loadEspeak();
  if (!loaded.ok) throw new Error(loaded.reason);
  speak = createSpeaker(loaded);
});

function say({ espeak }: EngineVoice, language: (typeof SPOKEN_LANGUAGES)[number], text: string): number[] {
  const samples: number[] = [];
  speak(
    {
      job: 1,
      ssml: text,
      espeakVoice: `${espeakLanguage(language, espeak.accents)}+${espeak.variant}`,
      pitch: espeak.pitch,
      range: 50,
      wordsPerMinute: espeak.wordsPerMinute,
      gainDb: espeak.gainDb,
      sampleRate: 22050,
      isTrimmed: false,
      hasPhonemes: false,
    },
    (block) => samples.push(...block),
    () => false,
  );
  return samples;
}

/** Level of the 20 ms frames that hold speech, in dB below full scale. */
function levelDb(samples: readonly number[]): number {
  const energies: number[] = [];
  for (let at = 0; at + 441 <= samples.length; at += 441) {
    energies.push(samples.slice(at, at + 441).reduce((sum, s) => sum + (s / 32768) ** 2, 0) / 441);
  }
  const loudest = Math.max(...energies);
  const active = energies.filter((energy) => energy > loudest / 1000);
  return 10 * Math.log10(active.reduce((sum, energy) => sum + energy, 0) / active.length);
}

describe('the catalogue', () => {
  it('has 28 voices or more over at least 14 languages, and the promised ones', () => {
    expect(VOICES.length).toBeGreaterThanOrEqual(28);
    expect(new Set(VOICES.map((voice) => voice.languages[0])).size).toBeGreaterThanOrEqual(14);
    expect(LOCAL_CATALOGUE.find(1071)).toMatchObject({
      name: 'Marta',
      sex: 'female',
      languages: ['en', 'de', 'fr'],
    });
    expect(LOCAL_CATALOGUE.find(1072)).toMatchObject({ sex: 'male' });
    expect(LOCAL_CATALOGUE.find(268)).toMatchObject({ name: 'Hans', languages: ['de', 'en'] });
  });

  it('names every voice, number and handle once, and every language at least once', () => {
    for (const key of ['id', 'handle', 'name'] as const) {
      expect(new Set(VOICES.map((voice) => voice[key])).size).toBe(VOICES.length);
    }
    expect(new Set(VOICES.flatMap((voice) => voice.languages))).toEqual(new Set(SPOKEN_LANGUAGES));
  });

  it.each([
    [1071, 'marta'],
    ['1071', 'marta'],
    ['hans', 'hans'],
    ['nobody', undefined],
    ['', undefined],
    [1.5, undefined],
    [-1, undefined],
  ])('finds %j', (key, handle) => {
    expect(LOCAL_CATALOGUE.find(key)?.handle).toBe(handle);
  });

  it('knows a language code from others', () => {
    expect(isLanguage('yue')).toBe(true);
    expect(isLanguage('de-DE')).toBe(false);
    expect(isLanguage('toString')).toBe(false);
  });
});

describe('with espeak', () => {
  it('every voice and every language is spoken', () => {
    const heard = new Set<string>();
    for (const voice of VOICES) {
      for (const language of voice.languages) {
        const names = [voice.handle, espeakLanguage(language, voice.espeak.accents)];
        if (names.every((name) => heard.has(name))) continue;
        for (const name of names) heard.add(name);
        expect(say(voice, language, '1 2').length, names.join(' ')).toBeGreaterThan(4000);
      }
    }
  });

  function expectOrdinaryLevel(samples: readonly number[], what: string): void {
    expect(Math.abs(levelDb(samples) + 20), what).toBeLessThan(3);
    expect(samples.filter((sample) => Math.abs(sample) >= 32767).length, what).toBeLessThan(3);
  }

  it('voices are equally loud, within 3 dB, and do not clip', () => {
    for (const voice of VOICES.filter((_, i) => i % 3 === 0)) {
      expectOrdinaryLevel(say(voice, voice.languages[0], voice.sampleText), voice.handle);
    }
  });

  const BODIES = [
    'boy',
    'teenage boy',
    'teenage girl',
    'deep woman',
    'high woman',
    'high man',
    'old man',
    'old woman',
  ];
  it.each([
    ['clear', BODIES],
    ...['clear', 'warm', 'bright', 'breathy', 'raspy', 'whispering', 'robotic'].map(
      (texture): [string, string[]] => [texture, ['deep man', 'girl']],
    ),
  ])('so are voices described as %s: %s', (texture, bodies) => {
    for (const body of bodies) {
      const { voice } = describedVoice(`${texture} ${body}`, 'en');
      const plain = { ...voice, espeak: { ...voice.espeak, pitch: 50, wordsPerMinute: 170 } };
      expectOrdinaryLevel(
        say(plain, 'en', 'Good morning. The weather will be fine all along the river.'),
        body,
      );
    }
  });

  it('refuses a voice that does not exist', () => {
    const [voice] = VOICES;
    const broken: Voice = { ...voice, espeak: { ...voice.espeak, accents: { en: 'nowhere' } } };
    expect(() => say(broken, 'en', 'x')).toThrow("espeak has no voice 'nowhere+f2'");
  });
});

const plainName = (voice: Voice | undefined) => voice?.name.normalize('NFD').replace(/\p{M}/gu, '');

it.each([...new Set(ENDPOINTS.flatMap(({ exampleVoices }) => Object.keys(exampleVoices)))])(
  'the example voice %s exists',
  (name) => {
    expect(plainName(LOCAL_CATALOGUE.find(name.toLowerCase()))).toBe(name);
  },
);

it.each(Object.entries(kugelStream.exampleVoices))('the example voice %s has the number %s', (name, id) => {
  expect(plainName(LOCAL_CATALOGUE.find(id))).toBe(name);
});
