import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WaitMoments, waitSegments } from './wait.ts';

const MOMENTS: WaitMoments = {
  firstTextMs: 1000,
  serverStartedMs: 1100,
  firstAudioFrameMs: 1150,
  queuedMs: 1151,
  outputMs: null,
  targetReachedMs: 1200,
  releasedMs: null,
  firstSampleMs: 1220,
  firstAudibleMs: 1300,
};

describe('the segments of a wait', () => {
  const begin = 'server 100, firstAudioFrame 50, decode 1';
  it.each<[string, Partial<WaitMoments>, string | undefined]>([
    ['divide it', {}, `${begin}, startFloor 49, firstSample 20, leadingSilence 80`],
    [
      'give the time of an unknown moment to the next one',
      { serverStartedMs: null },
      'firstAudioFrame 150, decode 1, startFloor 49, firstSample 20, leadingSilence 80',
    ],
    [
      'are never negative where a moment is noted late',
      { firstSampleMs: 1190 },
      `${begin}, startFloor 39, firstSample 0, leadingSilence 110`,
    ],
    [
      'separate the opening of the sound output',
      { outputMs: 1190 },
      `${begin}, output 39, startFloor 10, firstSample 20, leadingSilence 80`,
    ],
    [
      'separate the wait of a line for another line',
      { releasedMs: 1210 },
      `${begin}, startFloor 49, inTurn 10, firstSample 10, leadingSilence 80`,
    ],
    ['are unknown before the first audible sample', { firstAudibleMs: null }, undefined],
    ['are unknown without text', { firstTextMs: null }, undefined],
  ])('%s', (_, change, expected) => {
    const segments = waitSegments({ ...MOMENTS, ...change });
    expect(segments?.map(({ name, ms }) => `${name} ${ms}`).join(', ')).toBe(expected);
  });

  it('add up exactly to the whole for any moments', () => {
    // Wall-clock times as performance.timeOrigin gives them, in steps of a 4096th of a millisecond.
    const moment = fc.integer({ min: 0, max: 4096 * 60_000 }).map((tick) => 1.7e12 + tick / 4096);
    const { firstTextMs, firstAudibleMs, ...others } = MOMENTS;
    const orNull = Object.fromEntries(Object.keys(others).map((name) => [name, fc.option(moment)]));
    const anyMoments = fc.record({ ...orNull, firstTextMs: moment, firstAudibleMs: moment });
    fc.assert(
      fc.property(anyMoments, (all) => {
        const segments = waitSegments({ ...MOMENTS, ...all }) ?? [];
        const sum = segments.reduce((total, { ms }) => total + ms, 0);
        expect(sum).toBe(Math.max(0, all.firstAudibleMs - all.firstTextMs));
        expect(segments.every(({ ms }) => ms >= 0)).toBe(true);
      }),
    );
  });
});
