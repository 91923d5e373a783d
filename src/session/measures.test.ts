import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedValues } from '../lib/percentiles.ts';
import type { Usage } from '../protocol/speech-event.ts';
import { gapStatistics, sessionTotals, type TurnSum, type WaitMoments, waitSegments } from './measures.ts';

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

  it('adds up to the whole, exactly, whatever the moments', () => {
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

describe('gapStatistics', () => {
  it('has mean, 95th percentile and longest', () => {
    const gaps = new SortedValues();
    for (let gap = 1; gap <= 20; gap += 1) gaps.add(gap);
    expect(gapStatistics(gaps)).toEqual({ count: 20, meanMs: 10.5, p95Ms: 19, longestMs: 20 });
  });

  it('has nothing to say of a single frame', () => {
    expect(gapStatistics(new SortedValues())).toBeNull();
  });
});

describe('sessionTotals', () => {
  const usage: Usage = {
    audioSeconds: 5.4,
    characters: 142,
    costCents: 0.49,
    currency: 'eur',
    modelId: null,
  };
  const turn = (change: Partial<TurnSum>): TurnSum => ({
    state: 'ended',
    billing: 'turn',
    chars: 10,
    audioSeconds: 2,
    usage,
    ...change,
  });

  it('adds up what was reported', () => {
    expect(sessionTotals([turn({}), turn({})])).toEqual({
      turns: 2,
      audioSeconds: 10.8,
      characters: 284,
      costCents: 0.98,
      currency: 'eur',
      unknownCosts: 0,
      unreportedCosts: 0,
      planCharacters: 0,
    });
  });

  it('counts for itself what was not reported', () => {
    expect(sessionTotals([turn({ usage: 'pending' })])).toMatchObject({
      audioSeconds: 2,
      characters: 10,
      costCents: 0,
    });
  });

  const unknown: [string, Partial<TurnSum>, number][] = [
    ['a charge that the server cannot tell', { usage: { ...usage, costCents: null } }, 1],
    ['an ended turn without usage', { usage: 'unreported' }, 1],
    ['a cancelled turn that had audio', { usage: 'unreported', state: 'cancelled' }, 1],
    ['a cancelled turn without audio', { usage: 'unreported', state: 'cancelled', audioSeconds: 0 }, 0],
    ['a lost turn that had audio', { usage: 'unreported', state: 'lost' }, 1],
    ['2.11 a failed turn, which costs nothing', { usage: 'unreported', state: 'failed' }, 0],
    ['a turn under way', { usage: 'pending', state: 'receiving' }, 0],
  ];
  it.each(unknown)('%s', (_, change, count) => {
    expect(sessionTotals([turn(change)]).unknownCosts).toBe(count);
  });
});
