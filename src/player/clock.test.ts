import { describe, expect, it } from 'vitest';
import { AudioClock, type ClockAnchor } from './clock.ts';

describe('AudioClock', () => {
  const anchored = (...anchors: readonly [contextTimeS: number, wallMs: number][]) => {
    const clock = new AudioClock(24_000);
    for (const [contextTimeS, wallMs] of anchors) clock.anchor({ contextTimeS, wallMs, outputLatencyMs: 30 });
    return clock;
  };

  it('has no time before its first anchor', () => {
    expect(new AudioClock(24_000).wallMsOf(0)).toBeNull();
  });

  it('maps a frame to the time at which it leaves the speakers', () => {
    expect(anchored([2, 10_000]).wallMsOf(48_000 + 2400)).toBe(10_000 + 100 + 30);
  });

  it('takes the earliest of a few anchors, because the audio clock moves in steps', () => {
    expect(anchored([1, 5000], [2, 6008], [3, 7003]).wallMsOf(24_000)).toBe(5030);
  });

  it('forgets anchors from before the audio clock stood still', () => {
    expect(anchored([1, 5000], [1.5, 9500]).wallMsOf(36_000)).toBe(9530);
  });

  it('has stood still where a frame would be heard before it was handed over', () => {
    const clock = anchored([1, 5000], [2, 6000]);
    clock.handed(48_000 - 128, 6020);
    expect([48_000, 72_000].map((frame) => clock.wallMsOf(frame))).toEqual([6050, 7050]);
    clock.handed(72_000, 7000);
    expect(clock.wallMsOf(72_000)).toBe(7050);
  });

  it('takes no anchor from before it went on', () => {
    const clock = anchored([1, 5000]);
    clock.reported('one', 24_000, 5010, true);
    for (let nowMs = 5020; nowMs <= 9000; nowMs += 20) clock.reported('one', 24_000, nowMs, true);
    clock.reported('one', 24_128, 9010, true);
    clock.anchor({ contextTimeS: 1, wallMs: 5005, outputLatencyMs: 30 });
    expect(clock.wallMsOf(24_128)).toBe(9040);
  });

  it('follows a clock that drifts', () => {
    const drifting = Array.from({ length: 100 }, (_, i): [number, number] => [i, i * 1000.3]);
    expect(Math.abs((anchored(...drifting).wallMsOf(99 * 24_000) ?? 0) - 30 - 99 * 1000.3)).toBeLessThan(3);
  });
});

const EVERY_S = 0.5;

/** Anchors of an audio clock that runs `rate` times as fast as the wall clock, some of them late. */
const anchors = (count: number, rate: number, offsetMs = 0) =>
  Array.from({ length: count }, (_, at) => ({
    contextTimeS: at * EVERY_S * rate,
    wallMs: 1_000_000 + offsetMs + at * EVERY_S * 1000 + (at % 3) * 5,
    outputLatencyMs: 0,
  }));

function driftOf(clock: AudioClock, all: readonly ClockAnchor[]): number | null {
  for (const anchor of all) clock.anchor(anchor);
  return clock.driftMs;
}

describe('the drift of the audio clock', () => {
  it.each([
    ['is 0 for a clock that agrees', 1, 0],
    ['is ahead for one that is fast by 100 ppm', 1.0001, 1.2],
    ['is behind for one that is slow by 100 ppm', 0.9999, -1.2],
  ])('%s', (_, rate, expected) => {
    // 12 s between the first that count and the last.
    const drift = driftOf(new AudioClock(24_000), anchors(41, rate));
    expect(drift).not.toBeNull();
    expect(Math.abs((drift ?? 0) - expected)).toBeLessThan(0.1);
  });

  it('is unknown before there is enough to compare', () => {
    expect(driftOf(new AudioClock(24_000), anchors(15, 1))).toBeNull();
  });

  it('begins anew for a clock that stood still, and for another one', () => {
    const clock = new AudioClock(24_000);
    driftOf(clock, anchors(30, 1));
    expect(driftOf(clock, anchors(15, 1, 400))).toBeNull();
    expect(driftOf(clock, anchors(30, 1, 400))).toBe(0);
    expect(driftOf(new AudioClock(24_000), anchors(3, 1))).toBeNull();
  });
});

describe('reports of the audio thread', () => {
  /** Frames that were reported every 16 ms from 5000 ms on; the clock runs at 24 frames a ms. */
  const follow = (frames: readonly number[], isPlaying = true) => {
    const clock = new AudioClock(24_000);
    clock.anchor({ contextTimeS: 1, wallMs: 5000, outputLatencyMs: 0 });
    frames.forEach((frame, at) => {
      clock.reported('one', 24_000 + frame, 5000 + 16 * at, isPlaying);
    });
    return clock;
  };
  const steps = (count: number, of: (at: number) => number) =>
    Array.from({ length: count }, (_, at) => of(at));
  const running = steps(20, (at) => 384 * at);
  const last = 384 * 19;

  it.each<[string, number[], boolean]>([
    ['runs', running, false],
    ['takes samples in batches of 48 ms', steps(20, (at) => 1152 * Math.floor(at / 3)), false],
    ['has not moved for 96 ms', [...running, ...steps(6, () => last)], false],
    ['has not moved for longer', [...running, ...steps(8, () => last)], true],
    ['has gone on', [...running, ...steps(8, () => last), last + 128], false],
  ])('show whether the clock stands still: it %s', (_, frames, isStill) => {
    expect(follow(frames).isStill).toBe(isStill);
  });

  it('show nothing while no track plays, because not every quantum is reported then', () => {
    expect(follow([...running, ...steps(50, () => last)], false).isStill).toBe(false);
  });

  it('show no standstill once no track of any context plays, nor at the beginning of the next one', () => {
    const clock = follow([...running, ...steps(8, () => last)]);
    /** Tracks of two contexts that play, at each report. */
    const isStill = (playing: readonly [boolean, boolean][]) =>
      playing.map(([one, other], at) => {
        clock.reported('one', 24_000 + last, 5000 + 16 * (28 + at), one);
        clock.reported('other', 24_000 + last, 5000 + 16 * (28 + at), other);
        return clock.isStill;
      });
    const next = steps(8, () => 0).map((): [boolean, boolean] => [false, true]);
    expect(isStill([[true, true], [false, true], [false, false], ...next])).toEqual([
      ...[true, true, false],
      ...[false, false, false, false, false, false, false, true],
    ]);
  });

  it('move the clock by as long as it stood still', () => {
    const clock = follow([...running, ...steps(62, () => last), last + 384, last + 768]);
    expect(clock.wallMsOf(24_000 + last + 384)).toBe(5000 + 16 * 82);
    expect(follow(steps(20, (at) => 1152 * Math.floor(at / 3))).wallMsOf(24_000)).toBe(5000);
  });

  it('are not judged right behind a worker that was blocked, because older ones are read first', () => {
    const clock = follow(running);
    clock.reported('one', 24_000 + last + 128, 8000, true);
    clock.reported('one', 24_000 + last + 512, 8001, true);
    expect(clock.isStill).toBe(false);
    expect(clock.wallMsOf(24_000)).toBe(5000);
    clock.reported('one', 24_000 + 24 * 3016, 8016, true);
    expect(clock.wallMsOf(24_000)).toBe(5000);
  });
});
