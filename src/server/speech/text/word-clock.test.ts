import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WordTiming } from '../engine.ts';
import { WordClock } from './word-clock.ts';
import { writtenWords } from './words.ts';

type Report =
  | readonly ['sound', number, number]
  | readonly ['pause', number]
  | readonly ['end', number, number];

function run(text: string, reports: readonly Report[]): WordTiming[] {
  const clock = new WordClock(text, writtenWords(text));
  clock.begin(0);
  return reports.flatMap((report) => {
    if (report[0] === 'sound') return clock.sound(report[1], report[2]);
    if (report[0] === 'end') return clock.end(report[1], report[2]);
    clock.pause(report[1]);
    return [];
  });
}

const short = (timings: readonly WordTiming[]) => timings.map((t) => `${t.word} ${t.startMs}-${t.endMs}`);

describe('word timings (decision 6)', () => {
  it.each<[string, string, Report[], string[]]>([
    [
      'a word lasts until the next one',
      'one two',
      [
        ['sound', 0, 0],
        ['sound', 4, 300],
        ['end', 700, 7],
      ],
      ['one 0-300', 'two 300-700'],
    ],
    [
      'a pause ends a word',
      'one two',
      [
        ['sound', 0, 0],
        ['pause', 200],
        ['sound', 4, 300],
        ['pause', 600],
        ['end', 700, 7],
      ],
      ['one 0-200', 'two 300-600'],
    ],
    [
      'a pause inside a word does not',
      '12.50 x',
      [
        ['sound', 0, 0],
        ['pause', 100],
        ['sound', 3, 150],
        ['sound', 6, 900],
        ['end', 999, 7],
      ],
      ['12.50 0-900', 'x 900-999'],
    ],
    [
      'a word without a report shares with the one before',
      'aa bb cc',
      [
        ['sound', 0, 0],
        ['sound', 6, 400],
        ['end', 500, 8],
      ],
      ['aa 0-200', 'bb 200-400', 'cc 400-500'],
    ],
    [
      'first words without a report share the time before',
      'aa bb',
      [
        ['sound', 3, 200],
        ['end', 300, 5],
      ],
      ['aa 0-200', 'bb 200-300'],
    ],
    [
      'or with the first one heard when there is none before',
      'aa bb',
      [
        ['sound', 3, 0],
        ['end', 300, 5],
      ],
      ['aa 0-150', 'bb 150-300'],
    ],
    ['no report at all', 'aa bb', [['end', 300, 5]], ['aa 0-150', 'bb 150-300']],
    [
      'reports from behind or between words are ignored',
      'aa bb',
      [
        ['sound', 3, 100],
        ['sound', 0, 150],
        ['sound', 2, 160],
        ['end', 300, 5],
      ],
      ['aa 0-100', 'bb 100-300'],
    ],
    [
      'a word across two pieces',
      'abcd',
      [
        ['sound', 0, 0],
        ['end', 100, 2],
        ['sound', 2, 120],
        ['end', 300, 4],
      ],
      ['abcd 0-300'],
    ],
  ])('%s', (_name, text, reports, expected) => {
    expect(short(run(text, reports))).toEqual(expected);
  });

  it('carries the place in the text as written', () => {
    const [, second] = run('“Hi” 😀', [['end', 100, 7]]);
    expect(second).toEqual({ word: '😀', startMs: 50, endMs: 100, charStart: 5, charEnd: 7 });
  });

  it('covers every word in order and within the audio, for any reports', () => {
    const report = fc.record({
      kind: fc.constantFrom('sound', 'pause', 'piece'),
      at: fc.integer({ min: -2, max: 70 }),
      afterMs: fc.double({ min: 0, max: 200, noNaN: true }),
    });
    const text = 'One 12.50 “three” four—five 😀 今日は six, seven!';
    const words = writtenWords(text);
    fc.assert(
      fc.property(fc.array(report, { maxLength: 40 }), (reports) => {
        const clock = new WordClock(text, words);
        clock.begin(0);
        let nowMs = 0;
        const timings: WordTiming[] = [];
        for (const { kind, at, afterMs } of reports) {
          nowMs += afterMs;
          if (kind === 'sound') timings.push(...clock.sound(at, nowMs));
          else if (kind === 'pause') clock.pause(nowMs);
          else {
            timings.push(...clock.end(nowMs, at));
            clock.begin(nowMs);
          }
        }
        timings.push(...clock.end(nowMs, text.length));
        expect(timings.map(({ charStart, charEnd }) => ({ start: charStart, end: charEnd }))).toEqual(words);
        let last = 0;
        for (const { startMs, endMs } of timings) {
          expect(startMs).toBeGreaterThanOrEqual(last);
          expect(endMs).toBeGreaterThanOrEqual(startMs);
          last = endMs;
        }
        expect(last).toBeLessThanOrEqual(nowMs);
      }),
    );
  });
});
