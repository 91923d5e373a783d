import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WaitMoments, waitSegments } from './wait.ts';

const moments: WaitMoments = {
  firstTextMs: 1000,
  serverStartedMs: 1100,
  firstAudioFrameMs: 1150,
  queuedMs: 1151,
  outputMs: null,
  floorReachedMs: 1200,
  releasedMs: null,
  firstSampleMs: 1220,
  firstAudibleMs: 1300,
};

describe('waitSegments', () => {
  const cases: [string, Partial<WaitMoments>, [string, number][] | null][] = [
    [
      'divides the wait',
      {},
      [
        ['server', 100],
        ['firstAudioFrame', 50],
        ['decode', 1],
        ['startFloor', 49],
        ['firstSample', 20],
        ['leadingSilence', 80],
      ],
    ],
    [
      'gives the time of an unknown moment to the next part',
      { serverStartedMs: null },
      [
        ['firstAudioFrame', 150],
        ['decode', 1],
        ['startFloor', 49],
        ['firstSample', 20],
        ['leadingSilence', 80],
      ],
    ],
    [
      'lets no part be negative',
      { firstSampleMs: 1190 },
      [
        ['server', 100],
        ['firstAudioFrame', 50],
        ['decode', 1],
        ['startFloor', 49],
        ['firstSample', 0],
        ['leadingSilence', 100],
      ],
    ],
    [
      'sets apart what the opening of the sound output took',
      { outputMs: 1190 },
      [
        ['server', 100],
        ['firstAudioFrame', 50],
        ['decode', 1],
        ['output', 39],
        ['startFloor', 10],
        ['firstSample', 20],
        ['leadingSilence', 80],
      ],
    ],
    [
      'sets apart what a line waits for its turn',
      { releasedMs: 1210 },
      [
        ['server', 100],
        ['firstAudioFrame', 50],
        ['decode', 1],
        ['startFloor', 49],
        ['inTurn', 10],
        ['firstSample', 10],
        ['leadingSilence', 80],
      ],
    ],
    ['says nothing before the first audible sample', { firstAudibleMs: null }, null],
    ['says nothing without text', { firstTextMs: null }, null],
  ];
  it.each(cases)('%s', (_, change, expected) => {
    const segments = waitSegments({ ...moments, ...change });
    expect(segments?.map(({ name, ms }) => [name, ms]) ?? null).toEqual(expected);
  });

  it('adds up exactly to the whole for any moments', () => {
    // Wall-clock times as performance.timeOrigin gives them, in steps of a 4096th of a millisecond.
    const moment = fc.integer({ min: 0, max: 4096 * 60_000 }).map((tick) => 1.7e12 + tick / 4096);
    const orNull = fc.option(moment);
    fc.assert(
      fc.property(
        fc.record({
          firstTextMs: moment,
          serverStartedMs: orNull,
          firstAudioFrameMs: orNull,
          queuedMs: orNull,
          outputMs: orNull,
          floorReachedMs: orNull,
          releasedMs: orNull,
          firstSampleMs: orNull,
          firstAudibleMs: moment,
        }),
        (all) => {
          const segments = waitSegments(all) ?? [];
          const sum = segments.reduce((total, segment) => total + segment.ms, 0);
          expect(sum).toBe(Math.max(0, all.firstAudibleMs - all.firstTextMs));
          expect(segments.every((segment) => segment.ms >= 0)).toBe(true);
        },
      ),
    );
  });
});
