import { describe, expect, it } from 'vitest';
import { HeardProgress } from './heard-progress.ts';

const at = (position: number, epoch = 0) => ({ epoch, position });
const event = (
  kind: Parameters<HeardProgress['since']>[0][number]['kind'],
  position: number,
  frame: number,
  epoch = 0,
) => ({ kind, position, frame, epoch });

describe('what has left the player', () => {
  it('is told once each, as it goes on', () => {
    const progress = new HeardProgress();
    expect(progress.since([], at(0))).toEqual([]);
    expect(progress.since([event('started', 0, 128)], at(100))).toEqual([
      { epoch: 0, position: 0, count: 100, frame: 128 },
    ]);
    expect(progress.since([], at(100))).toEqual([]);
    expect(progress.since([], at(130))).toEqual([{ epoch: 0, position: 100, count: 30, frame: 228 }]);
  });

  it('ends where an underrun begins, and goes on where that ends', () => {
    const progress = new HeardProgress();
    const events = [event('started', 10, 0), event('underrun', 60, 50), event('resumed', 60, 500)];
    expect(progress.since(events, at(70))).toEqual([
      { epoch: 0, position: 10, count: 50, frame: 0 },
      { epoch: 0, position: 60, count: 10, frame: 500 },
    ]);
  });

  it('ends where a clear was followed, and leaves out what was dropped', () => {
    const progress = new HeardProgress();
    progress.since([event('started', 0, 0)], at(128));
    const events = [event('cleared', 256, 256), event('started', 1000, 384, 1)];
    expect(progress.since(events, at(1128, 1))).toEqual([
      { epoch: 0, position: 128, count: 128, frame: 128 },
      { epoch: 1, position: 1000, count: 128, frame: 384 },
    ]);
  });

  it('keeps its place over a jump of the audio clock', () => {
    const progress = new HeardProgress();
    expect(progress.since([event('started', 0, 0), event('realigned', 128, 1024)], at(256))).toEqual([
      { epoch: 0, position: 0, count: 128, frame: 0 },
      { epoch: 0, position: 128, count: 128, frame: 1024 },
    ]);
  });

  it('makes nothing up where the end of a stretch was lost', () => {
    const progress = new HeardProgress();
    progress.since([event('started', 0, 0)], at(128));
    expect(progress.since([], at(5000, 1))).toEqual([]);
    expect(progress.since([event('started', 5000, 900, 1)], at(5010, 1))).toEqual([
      { epoch: 1, position: 5000, count: 10, frame: 900 },
    ]);
  });
});
