import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Language, SPOKEN_LANGUAGES } from '../languages.ts';
import { encodePhonemes } from './ipa.ts';
import { ScriptReaders } from './script-readers.ts';

const read = (text: string, language: Language) =>
  new ScriptReaders(text, language)
    .stretches(text)
    .map(({ start, end, language: reader }) => `${reader}: ${text.slice(start, end)}`);

describe('what a language cannot read', () => {
  it.each<[Language, string, string[]]>([
    ['en', 'Hello world', []],
    ['en', 'مرحبا بالعالم!', ['ar: مرحبا بالعالم']],
    ['en', 'آپ کیسے ہیں؟', ['ur: آپ کیسے ہیں']],
    ['en', 'حال شما چطور است', ['fa: حال شما چطور است']],
    ['de', 'Er sagt: «Привет, мир» und geht.', ['ru: Привет, мир']],
    ['en', 'Як ваші справи', ['uk: Як ваші справи']],
    ['fr', 'Καλημέρα 15 φορές.', ['el: Καλημέρα 15 φορές']],
    ['en', 'π is about 3, and µ, Ω', []],
    ['en', 'The 日 sign', ['zh: 日']],
    ['ja', '漢字を読む', ['zh: 漢字', 'zh: 読']],
    ['ja', 'hello です', ['en: hello']],
    ['he', 'שלום hello', ['en: hello']],
    ['ar', 'مرحبا hello', []],
    ['ar', 'یہ کتاب بہت', ['ur: یہ کتاب بہت']],
    ['ar', 'مرحبا پنج مرحبا', ['fa: پنج']],
    ['fa', 'پنج چیز', []],
    ['uk', 'Це рыба', ['ru: рыба']],
    ['sr', 'Здраво svete', []],
    ['hi', 'नमस्ते سلام', ['ar: سلام']],
    ['en', 'नमस्ते', ['hi: नमस्ते']],
    ['en', 'გამარჯობა', ['ka: გამარჯობა']],
  ])('%s: %s', (language, text, expected) => {
    expect(read(text, language)).toEqual(expected);
  });

  it('ends where sounds are named', () => {
    const sounds = encodePhonemes('bEd');
    expect(read(`мир ${sounds} мир`, 'en')).toEqual(['ru: мир', 'ru: мир']);
  });

  it('lies apart, in order and within any text', () => {
    const unit = fc.constantFrom(...'aя漢かπ안 .1'.split(''), '\u0301', '😀', 'नम', 'سل');
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 30 }),
        fc.constantFrom(...SPOKEN_LANGUAGES),
        (units, language) => {
          const text = units.join('');
          let last = 0;
          for (const { start, end } of new ScriptReaders(text, language).stretches(text)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});
