import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GenerationBuffer, MAX_BUFFER_CHARS } from './generation-buffer.ts';

/** Every row of the seed's table "Text Buffering", with its edges. */

const ROCKET = '🚀';

/** A text of that length without white space or a mark. */
const letters = (length: number): string => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length);

/** The generations that the frames set off, and what stays in the buffer. */
function buffered(...frames: string[]) {
  const buffer = new GenerationBuffer();
  const generations = frames.flatMap((frame) => buffer.add(frame) ?? ['(overflow)']);
  return { generations, length: buffer.length, rest: buffer.flush() };
}

describe.each([
  ['sentence', ['.', '!', '?']],
  ['clause', [',', ';', ':']],
] as const)('6.3.10 %s boundary: buffer >= 50 and a mark followed by a space', (_, marks) => {
  it.each(marks)('%s: a buffer of 49 is left alone, one of 50 is spoken up to the mark', (mark) => {
    const text = `${letters(47)}${mark} `;
    expect(text).toHaveLength(49);
    expect(buffered(text)).toEqual({ generations: [], length: 49, rest: text.trim() });
    expect(buffered(`a${text}`)).toEqual({ generations: [`a${text.trim()}`], length: 0, rest: null });
  });

  it.each(marks)('%s: the 50th character may come long after the mark', (mark) => {
    const said = `${letters(20)}${mark}`;
    const rest = letters(28);
    expect(buffered(`${said} ${rest}`)).toEqual({ generations: [said], length: 28, rest });
    expect(buffered(`${said} ${letters(27)}`).generations).toEqual([]);
  });

  it.each(marks)('%s: 6.3.11 a mark at the end without a space does not trigger by itself', (mark) => {
    const text = `${letters(80)}${mark}`;
    expect(buffered(text).generations).toEqual([]);
    expect(buffered(text, ' ').generations).toEqual([text]);
    expect(buffered(text, 'b').generations).toEqual([]);
  });

  it.each(['\n', '\t', ' '])('any white space behind the mark will do', (space) => {
    expect(buffered(`${letters(60)}${marks[0]}${space}`).generations).toHaveLength(1);
  });
});

describe('several boundaries', () => {
  it('once 50 are there, all sentences that are complete are spoken together', () => {
    expect(buffered('One is here. Two is here. Three is here. Four is not yet')).toEqual({
      generations: ['One is here. Two is here. Three is here.'],
      length: 15,
      rest: 'Four is not yet',
    });
  });

  it('a sentence end comes before a later clause end', () => {
    expect(buffered('This is said. And this, which is cut short by the e')).toEqual({
      generations: ['This is said.'],
      length: 37,
      rest: 'And this, which is cut short by the e',
    });
  });

  it('a long frame becomes several generations', () => {
    const sentence = 'The quick brown fox jumps over the lazy dog by the river.';
    expect(buffered(`${sentence} ${sentence} ${sentence}`)).toEqual({
      generations: [sentence, sentence],
      length: 57,
      rest: sentence,
    });
  });

  it('what is left after a generation needs 50 characters of its own', () => {
    const first = `${letters(60)}. `;
    expect(buffered(`${first}${letters(47)}. `)).toMatchObject({ length: 49 });
    expect(buffered(`${first}${letters(48)}. `)).toMatchObject({ length: 0 });
  });

  it('no mark inside a number or a time of day is a boundary', () => {
    expect(buffered(`At 10:30 it was 3.14 or 2,5 ${letters(60)}`).generations).toEqual([]);
  });
});

describe('force flush: buffer >= 200', () => {
  it('199 stay, 200 are spoken whole', () => {
    expect(buffered(letters(199))).toEqual({ generations: [], length: 199, rest: letters(199) });
    expect(buffered(letters(200))).toEqual({ generations: [letters(200)], length: 0, rest: null });
    expect(buffered(letters(199), 'x').generations).toEqual([`${letters(199)}x`]);
  });

  it('or at the best boundary: between two words', () => {
    const text = `${letters(120)} ${letters(79)}`;
    expect(text).toHaveLength(200);
    expect(buffered(text)).toEqual({ generations: [letters(120)], length: 79, rest: letters(79) });
  });

  it('or behind a mark of a script that has no spaces', () => {
    const sentence = `${'你好'.repeat(60)}。`;
    expect(buffered(`${sentence}${'你好，'.repeat(27)}`).generations).toEqual([sentence]);
    expect(buffered('你好，'.repeat(67)).generations).toEqual(['你好，'.repeat(66)]);
  });

  it('text without any boundary goes on in pieces of 200', () => {
    expect(buffered(letters(450)).generations.map((text) => text.length)).toEqual([200, 200]);
  });

  it('a character of two halves is never cut', () => {
    const text = `${letters(199)}${ROCKET}`;
    expect(buffered(text).generations).toEqual([text]);
    // The halves may even come in two frames, as tokens of a model do.
    expect(buffered(text.slice(0, 200)).generations).toEqual([]);
    expect(buffered(text.slice(0, 200), text.slice(200)).generations).toEqual([text]);
    expect(buffered(ROCKET.repeat(100)).generations).toEqual([ROCKET.repeat(100)]);
  });
});

describe('explicit flush: any size', () => {
  it.each(['a', 'Hello', `${letters(199)}`, `${ROCKET}`])('%s', (text) => {
    const buffer = new GenerationBuffer();
    buffer.add(text);
    expect(buffer.flush()).toBe(text);
    expect(buffer.length).toBe(0);
  });

  it('25 an empty buffer, and one of white space, has nothing to speak', () => {
    expect(buffered().rest).toBeNull();
    expect(buffered('  \n ').rest).toBeNull();
    expect(buffered(' '.repeat(400))).toEqual({ generations: [], length: 0, rest: null });
  });
});

describe('buffer limit: would exceed 4096', () => {
  it('4096 are taken, 4097 are not', () => {
    expect(buffered(letters(4096)).generations).toHaveLength(20);
    expect(buffered(letters(4097))).toEqual({ generations: ['(overflow)'], length: 0, rest: null });
  });

  it('buffered text counts, and stays when the whole frame is dropped', () => {
    expect(buffered('0123456789', letters(4086)).generations).not.toContain('(overflow)');
    expect(buffered('0123456789', letters(4087))).toEqual({
      generations: ['(overflow)'],
      length: 10,
      rest: '0123456789',
    });
  });
});

describe('for any text', () => {
  const texts = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '. ',
          ', ',
          '! ',
          '? ',
          '; ',
          ': ',
          '.',
          ',',
          ' ',
          '\n',
          '。',
          '，',
          ROCKET,
          ' ',
          ' ',
        ),
        fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }),
        fc.stringMatching(/^[a-z]{1,60}$/),
      ),
      { maxLength: 120 },
    )
    .map((parts) => parts.join('').slice(0, MAX_BUFFER_CHARS));
  const squeezed = (text: string): string => text.replace(/\s+/g, '');
  const cutUp = fc.tuple(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }));

  /** The text in frames of these lengths, again and again. */
  const framesOf = (text: string, lengths: readonly number[]): string[] => {
    const frames: string[] = [];
    for (let at = 0; at < text.length; ) {
      const length = lengths[frames.length % lengths.length] ?? 1;
      frames.push(text.slice(at, at + length));
      at += length;
    }
    return frames;
  };

  it('nothing but white space is lost, and nothing is spoken twice', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { generations, rest } = buffered(text);
        expect(squeezed([...generations, rest ?? ''].join(''))).toBe(squeezed(text));
      }),
    );
  });

  it('the frames that it comes in make no difference', () => {
    fc.assert(
      fc.property(cutUp, ([text, lengths]) => {
        expect(buffered(...framesOf(text, lengths))).toEqual(buffered(text));
      }),
    );
  });

  it('no generation is blank or longer than 201, and what stays buffered is shorter than 201', () => {
    fc.assert(
      fc.property(cutUp, ([text, lengths]) => {
        const { generations, length } = buffered(...framesOf(text, lengths));
        expect(length).toBeLessThanOrEqual(200);
        for (const generation of generations) {
          expect(generation.trim()).toBe(generation);
          expect(generation).not.toBe('');
          expect(generation.length).toBeLessThanOrEqual(201);
        }
      }),
    );
  });

  it('a well-formed text stays well-formed in pieces', () => {
    const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);
    const wellFormed = texts.filter(isWellFormed);
    fc.assert(
      fc.property(wellFormed, (text) => {
        for (const generation of buffered(text).generations) expect(isWellFormed(generation)).toBe(true);
      }),
    );
  });
});
