import { afterEach, describe, expect, it } from 'vitest';
import { LOCAL_CATALOGUE } from '../voices/voice-catalogue.ts';
import { describedVoice } from '../voices/voice-description.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.test-helper.ts';
import { listServerVoices, namedVoice, ServerVoiceChoice } from './server-voices.ts';

const KOKORO = ['af_heart', 'af_bella', 'am_adam', 'am_onyx', 'ff_siwis', 'zf_xiaobei'].map(namedVoice);
const [first, ...others] = KOKORO;
const choice = new ServerVoiceChoice([first ?? namedVoice(''), ...others], LOCAL_CATALOGUE.all);
const voice = (handle: string) => {
  const found = LOCAL_CATALOGUE.find(handle);
  if (!found) throw new Error(`no voice ${handle}`);
  return found;
};

describe('the choice of a voice', () => {
  it('keeps sex and language, and tells voices apart where there are enough', () => {
    expect(choice.voiceFor(voice('marta'), 'en').name).toMatch(/^af_/);
    expect(choice.voiceFor(voice('rupert'), 'en').name).toMatch(/^am_/);
    expect(choice.voiceFor(voice('etienne'), 'fr').name).toBe('ff_siwis');
    const women = LOCAL_CATALOGUE.all.filter(
      ({ sex, languages }) => sex === 'female' && languages[0] === 'en',
    );
    expect(new Set(women.map((each) => choice.voiceFor(each, 'en').name))).toEqual(
      new Set(['af_heart', 'af_bella']),
    );
  });

  it('takes a voice of the language where the usual one does not speak it', () => {
    expect(choice.voiceFor(voice('marta'), 'zh').name).toBe('zf_xiaobei');
    // Nobody speaks it, so the voice stays the same.
    expect(choice.voiceFor(voice('marta'), 'de')).toBe(choice.voiceFor(voice('marta'), 'en'));
  });

  it('follows a description, the same words always in the same way', () => {
    const heard = (words: string) => choice.voiceFor(describedVoice(words, 'en').voice, 'en').name;
    expect(heard('a deep old man')).toMatch(/^am_/);
    expect(heard('a bright young woman')).toMatch(/^af_/);
    expect(heard('A bright, young woman!')).toBe(heard('a bright young woman'));
  });

  it('needs no knowledge of the voices', () => {
    const unknown = new ServerVoiceChoice([namedVoice('alloy'), namedVoice('nova')], LOCAL_CATALOGUE.all);
    const [marta, rupert] = [unknown.voiceFor(voice('marta'), 'en'), unknown.voiceFor(voice('rupert'), 'en')];
    expect(new Set([marta.name, rupert.name])).toEqual(new Set(['alloy', 'nova']));
  });
});

describe('the list of a server', () => {
  let server: ScriptedServer | undefined;
  afterEach(() => server?.stop());
  const listed = async (voices: readonly unknown[] | null) => {
    server = await startScriptedServer({ voices });
    return listServerVoices(server.settings());
  };

  const SPEACHES = { language: 'en-us', gender: 'female' };
  it.each<[string, unknown[]]>([
    [
      'Kokoro-FastAPI',
      [
        { id: 'af_heart', name: 'af_heart' },
        { id: 'am_adam', name: 'am_adam' },
      ],
    ],
    ['vLLM-Omni and older ones', ['af_heart', 'am_adam', 'af_heart']],
    [
      'Speaches',
      [
        { name: 'af_heart', ...SPEACHES },
        { name: 'am_adam', ...SPEACHES, gender: 'male' },
      ],
    ],
  ])('in the form of %s', async (_, voices) => {
    expect(await listed(voices)).toEqual([
      { name: 'af_heart', sex: 'female', languages: ['en'], parameters: {} },
      { name: 'am_adam', sex: 'male', languages: ['en'], parameters: {} },
    ]);
  });

  it.each<[string, unknown[] | null, RegExp]>([
    ['none', null, /has no such path/],
    ['another form', [1], /another form/],
  ])('%s is named', async (_, voices, message) => {
    await expect(listed(voices)).rejects.toThrow(message);
  });

  it('a voice that says nothing about itself is a voice', async () => {
    expect(await listed(['alloy'])).toEqual([{ name: 'alloy', sex: null, languages: [], parameters: {} }]);
  });
});
