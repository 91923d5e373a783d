import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenWords } from '#lib/text/words.ts';
import type { WordTiming } from '../engine.ts';
import { WordClock } from './word-clock.ts';

/** Words of a text by reports such as `4@300 pause@350 end7@700`: a sound of character 4, a pause, the end of 7. */
function run(text: string, reports: string): WordTiming[] {
  const clock = new WordClock(text, writtenWords(text));
  clock.begin(0);
  return reports.split(' ').flatMap((report) => {
    const [what = '', ms] = report.split('@');
    const [, end] = what.split('end');
    if (end !== undefined) return clock.end(Number(ms), Number(end));
    if (what !== 'pause') return clock.sound(Number(what), Number(ms));
    clock.pause(Number(ms));
    return [];
  });
}

const short = (timings: readonly WordTiming[]) => timings.map((t) => `${t.word} ${t.startMs}-${t.endMs}`);

describe('word timings', () => {
  it.each([
    ['a word lasts until the next one', 'one two', '0@0 4@300 end7@700', ['one 0-300', 'two 300-700']],
    [
      'a pause ends a word',
      'one two',
      '0@0 pause@200 4@300 pause@600 end7@700',
      ['one 0-200', 'two 300-600'],
    ],
    [
      'a pause inside a word does not',
      '12.50 x',
      '0@0 pause@100 3@150 6@900 end7@999',
      ['12.50 0-900', 'x 900-999'],
    ],
    [
      'a word without a report shares with the one before',
      'aa bb cc',
      '0@0 6@400 end8@500',
      ['aa 0-200', 'bb 200-400', 'cc 400-500'],
    ],
    [
      'first words without a report share the time before',
      'aa bb',
      '3@200 end5@300',
      ['aa 0-200', 'bb 200-300'],
    ],
    [
      'or with the first one heard when there is none before',
      'aa bb',
      '3@0 end5@300',
      ['aa 0-150', 'bb 150-300'],
    ],
    ['no report at all', 'aa bb', 'end5@300', ['aa 0-150', 'bb 150-300']],
    [
      'reports from behind or between words are ignored',
      'aa bb',
      '3@100 0@150 2@160 end5@300',
      ['aa 0-100', 'bb 100-300'],
    ],
    ['a word across two pieces', 'abcd', '0@0 end2@100 2@120 end4@300', ['abcd 0-300']],
  ])('%s', (_, text, reports, words) => {
    expect(short(run(text, reports))).toEqual(words);
  });

  it('carries the place in the text as written', () => {
    const [, second] = run('“Hi” 😀', 'end7@100');
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
