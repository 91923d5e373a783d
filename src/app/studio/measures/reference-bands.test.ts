import { describe, expect, it } from 'vitest';
import type { PublishedWait } from '#protocol/core/endpoint.ts';
import type { WaitSegment } from '#trace/wait.ts';
import { measuredOf, referenceBands } from './reference-bands.ts';

const published = (from: PublishedWait['from']): PublishedWait => ({
  title: 'warm',
  from,
  leastMs: 40,
  mostMs: 60,
  includes: 'the model',
  source: 'example.com',
});
const [whole, inference] = [published('firstText'), published('serverStarted')];

const reported: WaitSegment[] = [
  { name: 'server', ms: 30 },
  { name: 'firstAudioFrame', ms: 55 },
  { name: 'decode', ms: 1 },
];
const unreported = reported.slice(1);

describe('referenceBands', () => {
  it('begin where the published figure does', () => {
    expect(referenceBands(reported, [whole, inference])).toMatchObject([
      { fromMs: 0, leastMs: 40, mostMs: 60 },
      { fromMs: 30, leastMs: 70, mostMs: 90 },
    ]);
  });

  it('leave out waits that begin at an unreported moment', () => {
    expect(referenceBands(unreported, [whole, inference]).map((band) => band.published)).toEqual([whole]);
  });
});

describe('measuredOf', () => {
  it.each([
    ['from the first text', reported, whole, 85],
    ['from the start of generation', reported, inference, 55],
    ['from the first text where no start is reported', unreported, whole, 55],
    ['of nothing', [], whole, null],
  ])('%s', (_, wait, one, ms) => {
    expect(measuredOf(wait, one)).toBe(ms);
  });
});
