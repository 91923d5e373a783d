import { describe, expect, it } from 'vitest';
import { LOCAL_CATALOGUE } from '../../speech/voices/voice-catalogue.ts';
import { type OwnVoice, speakingVoice as speakingVoiceOf } from './own-voice.ts';

const speakingVoice = (own: OwnVoice) => speakingVoiceOf(own, LOCAL_CATALOGUE);

const voice: OwnVoice = {
  id: 100_001,
  handle: 'my-voice',
  name: 'Nora',
  description: '',
  generative_voice_description: '',
  supported_languages: ['en'],
  category: 'generated',
  sex: null,
  age: null,
  quality: 'mid',
  sample_text: '',
  is_public: false,
  revision: 1,
};

describe('sound of a created voice', () => {
  it.each([
    ['marta', {}],
    ['rupert', { sex: 'male', age: 'middle_age' }],
    ['walter', { sex: 'male', age: 'old' }],
    ['grace', { sex: 'female', age: 'young' }],
    ['robin', { sex: 'neutral' }],
    ['hans', { supported_languages: ['de'], sex: 'male' }],
    ['greta', { supported_languages: ['de'], sex: 'female', age: 'old' }],
    ['haruka', { supported_languages: ['ja'] }],
    // A voice of another sex would be the wrong one, and every voice speaks every language.
    ['rupert', { supported_languages: ['ko'], sex: 'male', age: 'middle_aged' }],
    ['etienne', { supported_languages: ['fr', 'en'], sex: 'male' }],
  ] satisfies [string, Partial<OwnVoice>][])('is that of %s at a pitch of its own for %j', (handle, wish) => {
    const closest = LOCAL_CATALOGUE.find(handle)?.espeak;
    const { languages, espeak } = speakingVoice({ ...voice, ...wish });
    expect(espeak).toEqual({ ...closest, pitch: expect.any(Number) });
    expect(Math.abs(espeak.pitch - Number(closest?.pitch))).toBe(9);
    expect(languages).toEqual({ ...voice, ...wish }.supported_languages);
  });

  it('differs between neighbours and stays in range', () => {
    const pitches = (wish: Partial<OwnVoice>) =>
      [1, 2, 3, 4].map((id) => speakingVoice({ ...voice, ...wish, id }).espeak.pitch);
    expect(new Set(pitches({})).size).toBe(4);
    for (const pitch of [...pitches({}), ...pitches({ sex: 'male', age: 'old' })]) {
      expect(pitch).toBeGreaterThanOrEqual(0);
      expect(pitch).toBeLessThanOrEqual(99);
    }
  });

  it('follows a description, which sex and age complete', () => {
    const sound = (wish: Partial<OwnVoice>) => speakingVoice({ ...voice, ...wish }).espeak;
    const whisper = { generative_voice_description: 'whispering' } as const;
    expect(sound({ ...whisper, sex: 'male', age: 'old' }).variant).toBe('vw-old-m-whisper');
    expect(sound({ ...whisper, sex: 'female', age: 'middle_age' }).variant).toMatch(/^vw-woman-\d-whisper$/);
    const aged = ['middle_age', 'middle_aged'].map((age) => sound({ ...whisper, age } as Partial<OwnVoice>));
    expect(aged[0]).toEqual(aged[1]);
    const boy = { generative_voice_description: 'a little boy', sex: 'female', age: 'old' } as const;
    expect(sound(boy).variant).toMatch(/^vw-(boy|old-m)-/);
  });

  it('introduces itself by its own name unless it has a sample text', () => {
    expect(speakingVoice(voice).sampleText).toMatch(/^Hello, I am Nora\. /);
    expect(speakingVoice({ ...voice, name: '$&' }).sampleText).toMatch(/^Hello, I am \$&\. /);
    expect(speakingVoice({ ...voice, sample_text: 'Hi!' }).sampleText).toBe('Hi!');
  });
});
