import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AudioClock, PlayHead, type PlayHeadPoint } from './clock.ts';

describe('AudioClock', () => {
  const anchored = (...anchors: readonly [contextTimeS: number, wallMs: number][]) => {
    const clock = new AudioClock(24_000);
    for (const [contextTimeS, wallMs] of anchors) clock.anchor({ contextTimeS, wallMs, outputLatencyMs: 30 });
    return clock;
  };

  it('says nothing before its first anchor', () => {
    expect(new AudioClock(24_000).wallMsOf(0)).toBeNull();
  });

  it('says when a frame leaves the speakers', () => {
    expect(anchored([2, 10_000]).wallMsOf(48_000 + 2400)).toBe(10_000 + 100 + 30);
  });

  it('takes the earliest of a few anchors, because the audio clock moves in steps', () => {
    expect(anchored([1, 5000], [2, 6008], [3, 7003]).wallMsOf(24_000)).toBe(5030);
  });

  it('forgets anchors from before the audio clock stood still', () => {
    expect(anchored([1, 5000], [1.5, 9500]).wallMsOf(36_000)).toBe(9530);
  });

  it('follows a clock that drifts', () => {
    const drifting = Array.from({ length: 100 }, (_, i): [number, number] => [i, i * 1000.3]);
    expect(Math.abs((anchored(...drifting).wallMsOf(99 * 24_000) ?? 0) - 30 - 99 * 1000.3)).toBeLessThan(3);
  });
});

describe('PlayHead', () => {
  const point: PlayHeadPoint = {
    epoch: 1,
    turn: 7,
    sample: 1000,
    atMs: 500,
    playing: true,
    queuedSamples: 2400,
    sampleRate: 24_000,
  };
  const head = (...points: Partial<PlayHeadPoint>[]) => {
    const playHead = new PlayHead();
    for (const change of points) playHead.update({ ...point, ...change });
    return playHead;
  };

  it.each([
    ['at the moment it was told', {}, 500, 1000],
    ['later, as far as time has gone', {}, 510, 1240],
    ['no further than what is queued', {}, 5000, 3400],
    ['before, when what was told is yet to be heard', {}, 490, 760],
    ['not before the turn', {}, 300, 0],
    ['where it stopped', { playing: false }, 900, 1000],
  ])('is %s', (_, change, nowMs, sample) => {
    expect(head(change).at(nowMs)).toEqual({ turn: 7, sample });
  });

  it('is nowhere without a turn', () => {
    expect(new PlayHead().at(0)).toBeNull();
    expect(head({ turn: null }).at(600)).toBeNull();
  });

  it('goes back for another turn or epoch, as a replay is', () => {
    const playHead = head({});
    playHead.at(600);
    playHead.update({ ...point, epoch: 2, sample: 0 });
    expect(playHead.at(500)).toEqual({ turn: 7, sample: 0 });
    playHead.update({ ...point, epoch: 2, turn: 8, sample: 3 });
    expect(playHead.at(500)).toEqual({ turn: 8, sample: 3 });
  });

  it('never goes back within a turn, whatever it is told', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ sample: fc.nat(10_000), atMs: fc.nat(2000), playing: fc.boolean() })),
        (points) => {
          const playHead = new PlayHead();
          let before = 0;
          points.forEach((change, i) => {
            playHead.update({ ...point, ...change });
            const { sample = 0 } = playHead.at(i * 16) ?? {};
            expect(sample).toBeGreaterThanOrEqual(before);
            before = sample;
          });
        },
      ),
    );
  });
});
