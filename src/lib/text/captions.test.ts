import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CaptionWord, captionsOf, toSrt, toVtt } from './captions.ts';

/** Words that follow one another, each so many ms a character. */
function spoken(text: string, msPerChar = 60): CaptionWord[] {
  let at = 0;
  return text.split(' ').map((word) => {
    const startMs = at;
    at += word.length * msPerChar;
    return { text: word, startMs, endMs: at };
  });
}

const linesOf = (text: string, msPerChar?: number) =>
  captionsOf(spoken(text, msPerChar)).map(({ lines }) => lines);

const anyWords: fc.Arbitrary<CaptionWord[]> = fc
  .array(
    fc.record({
      text: fc.oneof(
        fc.string({ unit: fc.constantFrom(...'aß字.,!-><&'), minLength: 1, maxLength: 50 }),
        fc.constantFrom('-->', '\n\n', 'WEBVTT', '1', '\ud800', 'a\0b', '<b>x</b>'),
      ),
      gapMs: fc.nat(2000),
      lengthMs: fc.integer({ min: 0, max: 900 }),
    }),
    { maxLength: 60 },
  )
  .map((words) => {
    let at = 0;
    return words.map(({ text, gapMs, lengthMs }) => {
      const startMs = at + gapMs / 3;
      at = startMs + lengthMs;
      return { text, startMs, endMs: at };
    });
  });

describe('captionsOf', () => {
  it('fills lines of 42 characters and breaks them where a clause ends', () => {
    const text = 'When the wind had died, they rowed home slowly, and nobody said a single word to anyone.';
    expect(linesOf(text)).toEqual([
      ['When the wind had died,', 'they rowed home slowly,'],
      ['and nobody said a single word to anyone.'],
    ]);
  });

  it('gives each sentence a caption of its own, but for the shortest', () => {
    const captions = [['Yes. We are there.'], ['It has taken long.']];
    expect(linesOf('Yes. We are there. It has taken long.')).toEqual(captions);
  });

  it('ends a caption where nobody speaks for a second, and after seven', () => {
    const [a, b] = spoken('one two');
    expect(captionsOf([a, { ...b, startMs: 5000, endMs: 5300 }] as CaptionWord[])).toEqual([
      { startMs: 0, endMs: 1000, lines: ['one'] },
      { startMs: 5000, endMs: 6000, lines: ['two'] },
    ]);
    for (const { startMs, endMs } of captionsOf(spoken('slow words go on and on and on', 400))) {
      expect(endMs - startMs).toBeLessThanOrEqual(7000);
    }
  });

  it('leaves a word that is longer than a line whole', () => {
    const long = 'x'.repeat(60);
    expect(linesOf(`A ${long} b`).flat().join(' ').split(' ')).toEqual(['A', long, 'b']);
  });

  it('writes no space where the language has none', () => {
    const times = (i: number) => ({ startMs: i * 200, endMs: i * 200 + 200 });
    const words = [...'你好世界'].map((text, i) => ({ text, ...times(i), joined: true }));
    expect(captionsOf(words).flatMap(({ lines }) => lines)).toEqual(['你好世界']);
  });

  it('has every word once and in order, in lines that are no longer than they must be', () => {
    fc.assert(
      fc.property(anyWords, (words) => {
        const captions = captionsOf(words);
        const said = captions.flatMap(({ lines }) => lines).join(' ');
        const clean = words
          .map(({ text }) =>
            text
              .replace('\ud800', '\ufffd')
              .replace(/[\s\0]+/g, ' ')
              .trim(),
          )
          .filter((text) => text !== '');
        expect(said).toBe(clean.join(' '));
        const longest = Math.max(42, ...clean.map((text) => text.length));
        for (const { lines } of captions) {
          expect(lines.length).toBeLessThanOrEqual(2);
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(longest);
        }
      }),
    );
  });

  it('never goes back in time, for any words', () => {
    const anyTimes = fc.array(
      fc.record({
        text: fc.constantFrom('a.', 'b', 'c,'),
        startMs: fc.double({ min: -1e5, max: 1e7, noNaN: true }),
        endMs: fc.double({ min: -1e5, max: 1e7, noNaN: true }),
      }),
    );
    fc.assert(
      fc.property(anyTimes, (words) => {
        let before = 0;
        for (const { startMs, endMs } of captionsOf(words)) {
          expect(startMs).toBeGreaterThanOrEqual(before);
          expect(endMs).toBeGreaterThan(startMs);
          expect(Number.isInteger(startMs) && Number.isInteger(endMs)).toBe(true);
          before = endMs;
        }
      }),
    );
  });
});

describe('files', () => {
  const captions = captionsOf(spoken('Rock & <b>roll</b> --> now.', 4_000_000 / 26));

  it('SRT', () => {
    expect(toSrt(captionsOf(spoken('Hello there. And good evening.')))).toBe(
      '1\n00:00:00,000 --> 00:00:00,660\nHello there.\n\n2\n00:00:00,660 --> 00:00:01,660\nAnd good evening.\n',
    );
    expect(toSrt(captions)).toContain('\n->\n');
  });

  it('WebVTT', () => {
    expect(toVtt(captionsOf(spoken('Hello there.')))).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello there.\n',
    );
    expect(toVtt(captions)).toContain('&lt;b&gt;roll&lt;/b&gt;');
    expect(toVtt(captionsOf([{ text: 'late', startMs: 360_061_001, endMs: 360_062_002 }]))).toContain(
      '100:01:01.001 --> 100:01:02.002',
    );
    expect(toVtt([])).toBe('WEBVTT\n');
  });

  it('are well-formed for any words', () => {
    const time = /\d{2,}:[0-5]\d:[0-5]\d[.,]\d{3}/.source;
    const cue = new RegExp(`^${time} --> ${time}\n[^\n]+(\n[^\n]+)?$`);
    fc.assert(
      fc.property(anyWords, (words) => {
        const made = captionsOf(words);
        const [signature, ...cues] = toVtt(made).trimEnd().split('\n\n');
        expect(signature).toBe('WEBVTT');
        expect(cues).toHaveLength(made.length);
        for (const text of cues) {
          expect(text).toMatch(cue);
          expect(text.split('-->')).toHaveLength(2);
        }
        const numbered = made.length === 0 ? [] : toSrt(made).trimEnd().split('\n\n');
        expect(numbered).toHaveLength(made.length);
        for (const [i, text] of numbered.entries()) {
          expect(text.startsWith(`${i + 1}\n`)).toBe(true);
          expect(text.slice(text.indexOf('\n') + 1)).toMatch(cue);
          expect(text.split('-->')).toHaveLength(2);
        }
      }),
    );
  });
});
