import { describe, expect, it } from 'vitest';
import { charsOf, createWorld } from './session-world.test-helper.ts';
import { spokenNumbersOf } from './spoken-numbers.ts';

type Request = Parameters<typeof spokenNumbersOf>[0];

/** A text as it is spoken. */
async function spokenText(text: string, language: string, more: Partial<Request> = {}): Promise<string> {
  const numbers = await spokenNumbersOf({ text, language, normalize: true, ...more });
  let [spoken, at] = ['', 0];
  for (const number of numbers?.take(0, text.length) ?? []) {
    spoken += text.slice(at, number.start) + number.spoken;
    at = number.end;
  }
  return spoken + text.slice(at);
}

describe('numbers as they are spoken', () => {
  it.each([
    ['en', 'I have 25 apples.', 'I have twenty five apples.'],
    ['en', '(1,250.05)', '(one thousand two hundred fifty point zero five)'],
    ['en', '-5°C or 3-5', 'minus five degrees celsius or three-five'],
    ['en', 'Pi is 3.14159.', 'Pi is three point one four one five nine.'],
    ['en', 'The 21st at 9:05, 50%', 'The twenty first at nine oh five, fifty percent'],
    [
      'en',
      '$5 or $1, $3.50 or $1.01',
      'five dollars or one dollar, three dollars and fifty cents or one dollar and one cent',
    ],
    ['en', 'MP3, 5km, agent 007', 'MP three, five km, agent zero zero seven'],
    [
      'en',
      '1234567890123456',
      'one two three four five six seven eight nine zero one two three four five six',
    ],
    ['en', '24.12.2024', 'twenty four twelve two thousand twenty four'],
    ['en', 'No number.', 'No number.'],
    [
      'de',
      'Um 15:30 Uhr, 12:00 Uhr: 1.250,5',
      'Um fünfzehn uhr dreißig, zwölf uhr: eintausendzweihundertfünfzig komma fünf',
    ],
    ['es', '25 y 5 €', 'veinticinco y cinco euros'],
    ['fr', '25 et 100', 'vingt cinq et cent'],
    ['it', '25 e 1.000', 'venticinque e mille'],
    ['nl', '25 en 2e', 'vijfentwintig en tweede'],
    ['pl', '25 i 5 $', 'dwadzieścia pięć i pięć dolarów'],
    ['pt', '25 e 3º', 'vinte e cinco e terceiro'],
    ['ja', '3時', '3時'],
  ])('%s: %s', async (language, written, spoken) => {
    expect(await spokenText(written, language)).toBe(spoken);
  });

  it('are those outside of markup, and none without normalisation', async () => {
    const text = '<break time="1.5s"/> 2';
    expect(await spokenText(text, 'en', { markup: 'tags' })).toBe('<break time="1.5s"/> two');
    expect(await spokenText('25', 'en', { normalize: false })).toBe('25');
  });

  it.each([
    ['', ' I have twenty five apples. '],
    ['&apply_text_normalization=auto', ' I have twenty five apples. '],
    ['&apply_text_normalization=on', ' I have twenty five apples. '],
    ['&apply_text_normalization=off', ' I have 25 apples. '],
  ])('are in the normalized alignment of a socket with “%s”, over the same time', async (query, spoken) => {
    const world = createWorld('stream', { query: `output_format=pcm_24000${query}` });
    await world.send({ text: ' ', xi_api_key: 'local' }, { text: 'I have 25 apples.' }, { text: '' });
    const [frame] = world.sent as [Record<'alignment' | 'normalizedAlignment', Record<string, number[]>>];
    expect(charsOf(frame)).toBe('I have 25 apples. ');
    expect(charsOf({ alignment: frame.normalizedAlignment })).toBe(spoken);
    const ends = [frame.alignment, frame.normalizedAlignment].map(({ charDurationsMs = [] }) =>
      charDurationsMs.reduce((sum, each) => sum + each, 0),
    );
    expect(ends).toEqual([180, 180]);
    // The number is spoken from 70 to 90 ms.
    const at = spoken.indexOf(spoken.includes('25') ? '25' : 'twenty');
    expect(frame.normalizedAlignment.charStartTimesMs?.[at]).toBe(70);
    expect(frame.normalizedAlignment.charStartTimesMs?.[spoken.indexOf(' apples')]).toBe(90);
  });
});
