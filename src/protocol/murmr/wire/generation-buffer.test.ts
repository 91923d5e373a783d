import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GenerationBuffer } from './generation-buffer.ts';

/** Every rule of the buffer, with its edges (murmr-text-1 to murmr-text-6). */

const ROCKET = '🚀';
const SENTENCE = 'The quick brown fox jumps over the lazy dog by the river.';

/** A text of that length without white space or a mark. */
const letters = (length: number): string => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length);

/** The generations of these frames, and what stays in the buffer. */
function buffered(...frames: string[]) {
  const buffer = new GenerationBuffer();
  const generations = frames.flatMap((frame) => buffer.add(frame) ?? ['(overflow)']);
  return { generations, length: buffer.length, rest: buffer.flush() };
}

const marks = [...'.!?,;:'];

describe.each(marks)('boundary: buffer >= 50 and %s followed by a space', (mark) => {
  const short = `${letters(20)}${mark}`;
  const long = `${letters(80)}${mark}`;

  it.each<[string, string[], string[], string | null]>([
    ['waits at 49', [`${letters(47)}${mark} `], [], `${letters(47)}${mark}`],
    ['cuts at 50', [`a${letters(47)}${mark} `], [`a${letters(47)}${mark}`], null],
    [
      'cuts where the 50th character comes long after the mark',
      [`${short} ${letters(28)}`],
      [short],
      letters(28),
    ],
    ['waits for that character', [`${short} ${letters(27)}`], [], `${short} ${letters(27)}`],
    ['does not cut at a mark at the end', [long], [], long],
    ['cuts when its space comes', [long, ' '], [long], null],
    ['does not cut when a letter comes', [long, 'b'], [], `${long}b`],
    ['cuts at a line feed', [`${long}\n`], [long], null],
    ['cuts at a tab', [`${long}\t`], [long], null],
  ])('%s', (_, frames, generations, rest) => {
    expect(buffered(...frames)).toMatchObject({ generations, rest });
  });
});

describe('cuts', () => {
  const wide = `${'你好'.repeat(60)}。`;
  const rockets = `${letters(199)}${ROCKET}`;

  it.each<[string, string[], string[], string | null]>([
    [
      'all complete sentences together, once 50 characters are there',
      ['One is here. Two is here. Three is here. Four is not yet'],
      ['One is here. Two is here. Three is here.'],
      'Four is not yet',
    ],
    [
      'at a sentence end before a later clause end',
      ['This is said. And this, which is cut short by the e'],
      ['This is said.'],
      'And this, which is cut short by the e',
    ],
    [
      'a long frame into several generations',
      [`${SENTENCE} ${SENTENCE} ${SENTENCE}`],
      [SENTENCE, SENTENCE],
      SENTENCE,
    ],
    [
      'the rest only from 50 characters of its own on',
      [`${letters(60)}. ${letters(47)}. `],
      [`${letters(60)}.`],
      `${letters(47)}.`,
    ],
    ['the rest at 50', [`${letters(60)}. ${letters(48)}. `], [`${letters(60)}.`, `${letters(48)}.`], null],
    [
      'at no mark inside a number or a time of day',
      [`At 10:30 it was 3.14 or 2,5 ${letters(60)}`],
      [],
      `At 10:30 it was 3.14 or 2,5 ${letters(60)}`,
    ],
    ['nothing by force at 199', [letters(199)], [], letters(199)],
    ['the whole by force at 200', [letters(200)], [letters(200)], null],
    ['the whole by force with the 200th character', [letters(199), 'x'], [`${letters(199)}x`], null],
    ['by force between two words', [`${letters(120)} ${letters(79)}`], [letters(120)], letters(79)],
    ['by force behind a wide sentence mark', [`${wide}${'你好，'.repeat(27)}`], [wide], '你好，'.repeat(27)],
    ['by force behind a wide clause mark', ['你好，'.repeat(67)], ['你好，'.repeat(66)], '你好，'],
    ['text without any boundary in pieces of 200', [letters(450)], [letters(200), letters(200)], letters(50)],
    ['no character of two halves', [rockets], [rockets], null],
    [
      'no character whose halves come in two frames',
      [rockets.slice(0, 200), rockets.slice(200)],
      [rockets],
      null,
    ],
    ['not before the second half', [rockets.slice(0, 200)], [], rockets.slice(0, 200)],
    ['25 white space to nothing', [' '.repeat(400)], [], null],
  ])('%s', (_, frames, generations, rest) => {
    expect(buffered(...frames)).toMatchObject({ generations, rest });
  });
});

it.each([...'।॥؟۔։።។။།،؛'])('cuts behind %s and a space as behind a mark of the table', (mark) => {
  const text = `${letters(60)}${mark}`;
  expect(buffered(`${text} next`)).toMatchObject({ generations: [text], rest: 'next' });
});

it.each([...'。！？｡．，；：、､…', '."', '!)', '.”'])(
  'murmr-text-15 murmr-text-16 does not cut behind %s and a space',
  (marked) => {
    const text = `${letters(60)}${marked} next`;
    expect(buffered(text)).toMatchObject({ generations: [], rest: text });
  },
);

it('reads half characters and blanks once', () => {
  for (const unit of ['\ud800', ' ', '.', '。']) {
    const buffer = new GenerationBuffer();
    const text = unit.repeat(400_000);
    for (let from = 0; from < text.length; ) from = buffer.feed(text, from).to;
    expect(buffer.flush()?.replaceAll(unit, '') ?? '').toBe('');
  }
});

it.each(['a', 'Hello', letters(199), ROCKET])('flushes a buffer of any size: %s', (text) => {
  const buffer = new GenerationBuffer();
  buffer.add(text);
  expect([buffer.flush(), buffer.length]).toEqual([text, 0]);
});

it.each([[], ['  \n ']])('25 flushes nothing of a buffer without text: %j', (...frames) => {
  expect(buffered(...frames).rest).toBeNull();
});

describe('buffer limit: would exceed 4096', () => {
  it.each<[string, string[], object]>([
    ['accepts 4096', [letters(4096)], { length: 96 }],
    ['refuses 4097', [letters(4097)], { generations: ['(overflow)'], length: 0, rest: null }],
    ['counts buffered text', ['0123456789', letters(4086)], { length: 96 }],
    [
      'keeps buffered text when it refuses a frame',
      ['0123456789', letters(4087)],
      { generations: ['(overflow)'], rest: '0123456789' },
    ],
  ])('%s', (_, frames, expected) => {
    expect(buffered(...frames)).toMatchObject(expected);
  });
});

it('cuts any text equally in any frames, loses only white space, and keeps to its lengths', () => {
  const part = fc.oneof(
    fc.constantFrom(...marks.map((mark) => `${mark} `), ...'.,\n。，  ', ROCKET),
    fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }),
    fc.stringMatching(/^[a-z]{1,60}$/),
  );
  const texts = fc.array(part, { maxLength: 120 }).map((parts) => parts.join('').slice(0, 4096));
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
  const squeezed = (text: string): string => text.replace(/\s+/g, '');
  const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
  fc.assert(
    fc.property(texts, lengths, (text, sizes) => {
      const whole = buffered(text);
      const frames: string[] = [];
      for (let at = 0; at < text.length; at += frames.at(-1)?.length ?? 1) {
        frames.push(text.slice(at, at + (sizes[frames.length % sizes.length] ?? 1)));
      }
      expect(buffered(...frames)).toEqual(whole);
      const { generations, length, rest } = whole;
      expect(squeezed([...generations, rest ?? ''].join(''))).toBe(squeezed(text));
      expect(length).toBeLessThanOrEqual(200);
      for (const generation of generations) {
        expect(generation.trim()).toBe(generation);
        expect(generation.length).toBeGreaterThan(0);
        expect(generation.length).toBeLessThanOrEqual(201);
        if (isWellFormed(text)) expect(isWellFormed(generation)).toBe(true);
      }
    }),
  );
});
