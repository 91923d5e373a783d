import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toEspeakInput } from '../espeak/espeak-input.ts';
import { type Language, SPOKEN_LANGUAGES } from '../languages.ts';
import { decodePhoneme, encodePhonemes, ipaWords } from './ipa.ts';
import { toSpokenText } from './spoken-text.test-helper.ts';

const found = (text: string) =>
  ipaWords(text, 'en').map(({ start, end, phonemes }) => `${text.slice(start, end)} ${phonemes}`);

describe('inline IPA between slashes', () => {
  it.each([
    ['I say /təˈmɑːtoʊ/.', ["/təˈmɑːtoʊ/ t|@|'m|A:|t|oU"]],
    ['(/ˈbed/)', ["/ˈbed/ 'b|e|d"]],
    ['“/t͡sɛt/”, /tʃɛt/', ['/t͡sɛt/ ts|E|t', '/tʃɛt/ tS|E|t']],
    ['/ʔa.t͡sa/ /bɔ̃ʒuʁ/', ['/ʔa.t͡sa/ ?|a|ts|a', '/bɔ̃ʒuʁ/ b|O~|Z|u|R2']],
    ['/ˌɪntəˈnæʃənəl/', ["/ˌɪntəˈnæʃənəl/ ,I|n|t|@|'n|a|S|@|n|@|l"]],
  ])('%s', (text, words) => {
    expect(found(text)).toEqual(words);
  });

  it.each([
    'and/or',
    '1/2/2026',
    '/usr/local/bin/',
    '/bed/',
    'a /bed/ of',
    'https://example.org/ə/',
    'x/ə/y',
    '/ə',
    '/ə ə/',
    '/ə2/',
    '/été/',
    '/ˈ/',
    '//',
    `/${'ə'.repeat(81)}/`,
  ])('%s is text', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('gives a language the nearest of the sounds that it has', () => {
    const said = (ipa: string, language: Language) => ipaWords(`/${ipa}/`, language)[0]?.phonemes;
    expect((['en', 'es'] as const).map((language) => said('ʌ', language))).toEqual(['V', 'a']);
    expect((['de', 'es'] as const).map((language) => said('ɪ', language))).toEqual(['I', 'i']);
    expect(said('œ̃', 'ja')).toBe('e');
  });

  it('reaches the engine as names of sounds, and nothing else that is typed does', () => {
    const input = (text: string) =>
      toSpokenText(text, { normalize: true, pronunciations: [], language: 'en', saysSounds: true }).runs.map(
        (run) =>
          run.kind === 'speech' ? toEspeakInput(run.mapped, { spelled: false, continues: false }).ssml : '',
      );
    expect(input('a /ˈbɛd/, b')).toEqual(["a [['b|E|d]], b"]);
    expect(input(`a ${encodePhonemes('_^_de')} [[bed]]`)).toEqual(['a [ [bed]]']);
  });

  it('returns only sounds of the table for any text', () => {
    const names = /^(?:[',]?(?:[a-zA-Z0-9@?*:~^."-]+)?\|?)*$/;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'təˈˌɑː.bd[]_^%|/ʃ͡eɪœ̃\u0303&<') }),
        fc.constantFrom(...SPOKEN_LANGUAGES),
        (text, language) => {
          for (const { phonemes } of ipaWords(`/${text}/`, language)) {
            expect(phonemes).toMatch(names);
            expect(phonemes).not.toMatch(/[_%[\]&<]/);
          }
        },
      ),
    );
  });

  it('encodes names of sounds in a private area and back', () => {
    expect([...encodePhonemes("'b|E")].map(decodePhoneme).join('')).toBe("'b|E");
    expect(decodePhoneme('b')).toBeUndefined();
  });
});
