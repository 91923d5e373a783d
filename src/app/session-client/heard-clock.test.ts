import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { heardMsUntil, piecesOf, sampleAt, wallMsOf } from './heard-clock.ts';

const RATE = 1000;
const turn = (rest: Partial<TurnView>): TurnView => turnView({ sampleRate: RATE, samples: 1000, ...rest });

/** 400 samples from 5000 on, a silence of 250 ms, then the rest. */
const broken = turn({
  stretches: [
    { fromSample: 0, wallMs: 5000 },
    { fromSample: 400, wallMs: 5650 },
  ],
  underruns: [{ atMs: 5400, atSample: 400, lengthMs: 250 }],
});

describe('a turn with an underrun', () => {
  test('is heard in two pieces', () => {
    expect(piecesOf(broken)).toEqual([
      { fromMs: 5000, toMs: 5400, fromSample: 0 },
      { fromMs: 5650, toMs: 6250, fromSample: 400 },
    ]);
  });

  test.each([
    [0, 5000],
    [399, 5399],
    [400, 5650],
    [1000, 6250],
  ])('sample %d was heard at %d ms', (sample, ms) => expect(wallMsOf(broken, sample)).toBe(ms));

  test('what ends where hearing broke off ended there', () => expect(wallMsOf(broken, 400, true)).toBe(5400));

  test.each([
    [4999, null],
    [5100, 100],
    [5500, null],
    [5700, 450],
    [6300, null],
  ])('at %d ms sample %s is heard', (ms, sample) => expect(sampleAt(broken, ms)).toBe(sample));

  test.each([
    [4000, 0],
    [5500, 400],
    [5750, 500],
    [9000, 1000],
  ])('until %d ms, %d ms of it', (ms, heard) => expect(heardMsUntil(broken, ms)).toBe(heard));
});

test('a barge-in ends the last piece, and so does running dry for good', () => {
  const start = [{ fromSample: 0, wallMs: 5000 }];
  expect(piecesOf(turn({ stretches: start, heardToMs: 5300 }))[0]?.toMs).toBe(5300);
  const dry = turn({ stretches: start, underruns: [{ atMs: 5200, atSample: 200, lengthMs: null }] });
  expect(piecesOf(dry)[0]?.toMs).toBe(5200);
});

test('what was not heard has no time', () => {
  expect(wallMsOf(turn({}), 0)).toBeNull();
  expect(sampleAt(turn({}), 0)).toBeNull();
  expect(heardMsUntil(turn({ sampleRate: null }), 9000)).toBe(0);
});

test('from sample to wall clock and back is where one began', () => {
  const breaks = fc.array(
    fc.record({ samples: fc.integer({ min: 1, max: 300 }), gapMs: fc.integer({ min: 1, max: 500 }) }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(breaks, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
      let wallMs = 1_700_000_000_000;
      let fromSample = 0;
      const stretches = parts.map(({ samples, gapMs }) => {
        const stretch = { fromSample, wallMs };
        fromSample += samples;
        wallMs += samples + gapMs;
        return stretch;
      });
      const of = turn({ samples: fromSample, stretches });
      const sample = Math.floor(share * (fromSample - 1));
      expect(sampleAt(of, wallMsOf(of, sample) ?? Number.NaN)).toBeCloseTo(sample, 2);
    }),
  );
});
