import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SPOKEN_LANGUAGES } from '../languages.ts';
import { VOICES } from '../voices/voices.ts';
import { detectLanguage, spokenLanguageOf } from './detect-language.ts';

describe('the language of a text', () => {
  it.each([
    ['en', 'Hello, how are you today?'],
    ['en', 'Please turn left at the next light.'],
    ['en', 'She moved to 東京 two years ago and likes it.'],
    ['es', 'Hola, ¿cómo estás hoy? Buenos días.'],
    ['es', 'Gira a la izquierda en el próximo semáforo.'],
    ['pt', 'Olá, como você está hoje?'],
    ['pt', 'Vire à esquerda no próximo semáforo.'],
    ['de', 'Hallo, wie geht es dir heute?'],
    ['de', 'Biegen Sie an der nächsten Ampel links ab.'],
    ['fr', 'Bonjour, comment ça va aujourd’hui ?'],
    ['fr', 'Tournez à gauche au prochain feu.'],
    ['fr', 'Votre commande a été expédiée.'],
    ['it', 'Gira a sinistra al prossimo semaforo.'],
    ['pl', 'Dzień dobry wszystkim, jak się macie?'],
    ['vi', 'Tiếng Việt rất hay và đẹp'.normalize('NFD')],
    ['sv', 'Hej, hur mår du idag och imorgon?'],
    ['zh', '你好，你今天怎么样？'],
    ['zh', '早上好'],
    ['zh', '我在学习 Python 编程。'],
    ['ja', 'こんにちは、お元気ですか？'],
    ['ja', '東京駅は五時に着きます。'],
    ['ja', 'コンピューター'],
    ['ko', '안녕하세요, 오늘 기분이 어때요?'],
    ['ko', 'iPhone을 샀어요'],
    ['ru', 'Привет, как дела?'],
    ['ru', 'Да'],
    ['uk', 'Привіт, як справи?'],
    ['bg', 'Добър ден, как сте?'],
    ['el', 'Μία καλή μέρα'],
    ['ar', 'مرحبا بالعالم'],
    ['fa', 'حال شما چطور است؟'],
    ['ur', 'آپ کیسے ہیں؟'],
    ['he', 'שלום עולם'],
    ['th', 'สวัสดีครับ'],
    ['hi', 'नमस्ते दुनिया'],
  ])('%s: %s', (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['numbers', '12 345.67'],
    ['marks', '?! …'],
    ['emoji', '😀👍🏽'],
    ['one letter', 'x'],
    ['a word of many languages', 'ok'],
    ['keys at random', 'asdf qwer zxcv uiop hjkl bnm'],
    ['a short text, whose words look Romanian', 'In a minute.'],
    ['a short text, whose words look Dutch', 'Is Tom in?'],
    ['a short text, whose words look Norwegian', 'Bonjour, Anna.'],
  ])('cannot tell %s', (_, text) => {
    expect(detectLanguage(text)).toBeNull();
  });

  it('of a request is the given one, that of its text, or the first of its voice', () => {
    const voice = { ...VOICES[0], languages: ['pl', 'en'] as const };
    const spoken = (language: string | undefined, text: string) =>
      spokenLanguageOf({ language, text, voice });
    expect(spoken('de', 'Привет, как дела?')).toBe('de');
    expect(spoken(undefined, 'Привет, как дела?')).toBe('ru');
    expect(spoken(undefined, 'In a minute.')).toBe('pl');
  });

  it('answers to any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        expect([null, ...SPOKEN_LANGUAGES]).toContain(detectLanguage(text));
      }),
    );
  });
});
