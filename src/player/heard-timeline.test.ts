import { describe, expect, it } from 'vitest';
import { HeardTimeline } from './heard-timeline.ts';

const RATE = 1000;

describe('HeardTimeline', () => {
  it('knows nothing before anything was heard', () => {
    expect(new HeardTimeline().wallMsOf(0, RATE)).toBeNull();
  });

  it('counts on at the rate, and anew after a break', () => {
    const timeline = new HeardTimeline();
    timeline.begin(0, 5000);
    timeline.begin(100, 5250);
    expect([0, 99, 100, 150].map((sample) => timeline.wallMsOf(sample, RATE))).toEqual([
      5000, 5099, 5250, 5300,
    ]);
  });

  it('knows nothing of what came before the first sample that was heard', () => {
    const timeline = new HeardTimeline();
    timeline.begin(50, 5000);
    expect(timeline.wallMsOf(49, RATE)).toBeNull();
  });

  it('forgets what did not come true', () => {
    const timeline = new HeardTimeline();
    timeline.begin(0, 5000);
    timeline.begin(100, 5100);
    timeline.begin(60, 7000);
    expect([59, 60, 100].map((sample) => timeline.wallMsOf(sample, RATE))).toEqual([5059, 7000, 7040]);
  });
});
