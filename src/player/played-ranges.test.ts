import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { PlayedRanges } from './played-ranges.ts';

const RATE = 1000;
/** An audio clock whose frame 0 leaves the speakers at 1000 ms. */
const wallMsOf = (frame: number) => 1000 + (frame / RATE) * 1000;
const runsOf = (...runs: readonly { sample: number; count: number; frame: number }[]) => {
  const played = new PlayedRanges(RATE);
  for (const run of runs) played.add(run, wallMsOf);
  return played;
};

describe('played ranges of a turn', () => {
  it('grow where nothing comes between', () => {
    const played = runsOf({ sample: 0, count: 480, frame: 0 });
    expect(played.add({ sample: 480, count: 240, frame: 480 }, wallMsOf)).toBe(false);
    expect(played.list).toEqual([{ sample: 0, count: 720, atMs: 1000 }]);
    expect(played.end).toBe(720);
  });

  it('are kept apart by silence, exact to the sample although the wall clock is read anew', () => {
    const played = new PlayedRanges(24_000);
    const at24k = (frame: number) => 1000 + (frame / 24_000) * 1000;
    played.add({ sample: 0, count: 480, frame: 0 }, at24k);
    // Read 3 ms later than the audio clock says.
    expect(played.add({ sample: 480, count: 240, frame: 1000 }, (frame) => at24k(frame) + 3)).toBe(true);
    const [first, second] = played.list;
    const silentMs = (second?.atMs ?? 0) - (first?.atMs ?? 0) - 20;
    expect(Math.round((silentMs / 1000) * 24_000)).toBe(520);
  });

  it('take the wall clock where the audio clock stood still, or another output took over', () => {
    const played = runsOf({ sample: 0, count: 480, frame: 0 });
    played.add({ sample: 480, count: 240, frame: 1000 }, (frame) => wallMsOf(frame) + 5000);
    played.break();
    played.add({ sample: 720, count: 240, frame: 1240 }, () => 9000);
    expect(played.list.map(({ atMs }) => Math.round(atMs))).toEqual([1000, 7000, 9000]);
  });

  it('begin again by the wall clock where a standstill is only longer than the drift', () => {
    const played = new PlayedRanges(RATE);
    let frame = 0;
    const add = (count: number, lateMs: number) => {
      const isNew = played.add({ sample: frame, count, frame }, (at) => wallMsOf(at) + lateMs);
      frame += count;
      return isNew;
    };
    add(1000, 0);
    // The clock is ahead by 30 ms in the end.
    for (let s = 1; s <= 30; s += 1) add(1000, -s);
    expect(played.list).toHaveLength(1);
    expect(add(1000, 30)).toBe(true);
    expect(add(1000, 30)).toBe(false);
    expect(played.list.map(({ atMs }) => atMs)).toEqual([1000, 1000 + 31_000 + 30]);
  });

  it('are split where the audio clock stood still under a run, however often', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            quanta: fc.integer({ min: 1, max: 400 }),
            stillMs: fc.integer({ min: 51, max: 60_000 }),
          }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        (stops) => {
          const played = new PlayedRanges(RATE);
          const expected: { sample: number; count: number; atMs: number }[] = [];
          let [frame, stillMs] = [0, 0];
          for (const stop of stops) {
            const lateMs = stillMs;
            expected.push({ sample: frame, count: stop.quanta * 128, atMs: wallMsOf(frame) + lateMs });
            for (let quantum = 0; quantum < stop.quanta; quantum += 1) {
              // The clock drifts, and no range ends for that.
              const at = (of: number) => wallMsOf(of) + lateMs + of * 0.0002;
              played.add({ sample: frame, count: 128, frame }, at);
              frame += 128;
            }
            stillMs += stop.stillMs;
          }
          expect(played.list.map(({ sample, count }) => [sample, count])).toEqual(
            expected.map(({ sample, count }) => [sample, count]),
          );
          for (const [at, range] of played.list.entries())
            expect(Math.abs(range.atMs - (expected[at]?.atMs ?? 0))).toBeLessThan(100);
        },
      ),
    );
  });

  it('do not split for the drift of a long turn, or for a clock that is read a little later', () => {
    const played = new PlayedRanges(RATE);
    for (let frame = 0; frame < 1_200_000; frame += 128)
      played.add({ sample: frame, count: 128, frame }, (at) => wallMsOf(at) * 1.0001 + (frame % 3) * 5);
    expect(played.list).toHaveLength(1);
  });

  it('end at the furthest sample, also where a few samples were heard twice', () => {
    const played = runsOf({ sample: 0, count: 500, frame: 0 }, { sample: 480, count: 10, frame: 500 });
    expect(played.list.map(({ sample, count }) => [sample, count])).toEqual([
      [0, 500],
      [480, 10],
    ]);
    expect(played.end).toBe(500);
  });

  it('have the parts that lie in a run of samples, with their times', () => {
    const played = runsOf({ sample: 0, count: 400, frame: 0 }, { sample: 400, count: 100, frame: 600 });
    expect(played.within(300, 150)).toEqual([
      { sample: 300, count: 100, atMs: 1300 },
      { sample: 400, count: 50, atMs: 1600 },
    ]);
    expect(played.within(500, 10)).toEqual([]);
  });
});

describe('the time of a sample', () => {
  it('is unknown before anything was played, and before the first sample that was', () => {
    expect(new PlayedRanges(RATE).wallMsOf(0)).toBeNull();
    expect(runsOf({ sample: 50, count: 10, frame: 0 }).wallMsOf(49)).toBeNull();
  });

  it('counts on at the rate, and anew after a break', () => {
    const played = runsOf({ sample: 0, count: 100, frame: 4000 }, { sample: 100, count: 1, frame: 4250 });
    expect([0, 99, 100, 150].map((sample) => played.wallMsOf(sample))).toEqual([5000, 5099, 5250, 5300]);
  });

  it('is the later one where a sample was heard twice', () => {
    const played = runsOf(
      { sample: 0, count: 100, frame: 4000 },
      { sample: 100, count: 10, frame: 4100 },
      { sample: 60, count: 100, frame: 6000 },
    );
    expect([59, 60, 100].map((sample) => played.wallMsOf(sample))).toEqual([5059, 7000, 7040]);
  });
});

describe('a turn with an underrun', () => {
  /** 400 samples from 5000 on, a silence of 250 ms, then the rest. */
  const broken = new PlayedRanges(RATE, [
    { sample: 0, count: 400, atMs: 5000 },
    { sample: 400, count: 600, atMs: 5650 },
  ]);

  test.each([
    [0, 5000],
    [399, 5399],
    [400, 5650],
    [1000, 6250],
  ])('sample %d was heard at %d ms', (sample, ms) => expect(broken.wallMsOf(sample)).toBe(ms));

  it('ends what ended at the underrun where hearing broke off', () =>
    expect(broken.wallMsOf(400, true)).toBe(5400));

  test.each([
    [4999, null],
    [5100, 100],
    [5500, null],
    [5700, 450],
    [6300, null],
  ])('at %d ms sample %s is heard', (ms, sample) => expect(broken.sampleAt(ms)).toBe(sample));

  test.each([
    [4000, 0],
    [5500, 400],
    [5750, 500],
    [9000, 1000],
  ])('until %d ms, %d ms of it', (ms, played) => expect(broken.playedMsUntil(ms)).toBe(played));
});

test('from sample to wall clock and back is where one began', () => {
  const breaks = fc.array(
    fc.record({ samples: fc.integer({ min: 1, max: 300 }), gapMs: fc.integer({ min: 1, max: 500 }) }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(breaks, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
      let atMs = 1_700_000_000_000;
      let end = 0;
      const ranges = parts.map(({ samples, gapMs }) => {
        const range = { sample: end, count: samples, atMs };
        end += samples;
        atMs += samples + gapMs;
        return range;
      });
      const played = new PlayedRanges(RATE, ranges);
      const sample = Math.floor(share * (end - 1));
      expect(played.sampleAt(played.wallMsOf(sample) ?? Number.NaN)).toBeCloseTo(sample, 2);
    }),
  );
});
