import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from './detect-language.ts';

describe('the language of a text (Auto, facts 6.1)', () => {
  it.each([
    ['en', 'Hello, how are you today?'],
    ['en', 'Please turn left at the next light.'],
    ['en', 'She moved to 東京 two years ago and likes it.'],
    ['es', 'Hola, ¿cómo estás hoy?'],
    ['es', 'Gira a la izquierda en el próximo semáforo.'],
    ['es', 'Buenos días a todos'],
    ['pt', 'Olá, como você está hoje?'],
    ['pt', 'Vire à esquerda no próximo semáforo.'],
    ['pt', 'Bom dia a todos'],
    ['de', 'Hallo, wie geht es dir heute?'],
    ['de', 'Biegen Sie an der nächsten Ampel links ab.'],
    ['de', 'Guten Morgen zusammen'],
    ['fr', 'Bonjour, comment ça va aujourd’hui ?'],
    ['fr', 'Tournez à gauche au prochain feu.'],
    ['fr', 'Votre commande a été expédiée.'],
    ['it', 'Ciao, come stai oggi?'],
    ['it', 'Gira a sinistra al prossimo semaforo.'],
    ['it', 'Buongiorno a tutti'],
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
    ['keys at random', 'asdf qwer zxcv'],
    ['Polish', 'Dzień dobry wszystkim'],
    ['Swedish', 'Hej, hur mår du idag?'],
    ['Greek', 'Μία καλή μέρα'],
    ['Arabic', 'مرحبا بالعالم'],
  ])('cannot tell %s', (_, text) => {
    expect(detectLanguage(text)).toBeNull();
  });

  it('answers to any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
        expect([null, 'en', 'es', 'pt', 'de', 'fr', 'it', 'zh', 'ja', 'ko', 'ru']).toContain(
          detectLanguage(text),
        );
      }),
    );
  });
});
