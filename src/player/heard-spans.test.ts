import { describe, expect, it } from 'vitest';
import { HeardSpans } from './heard-spans.ts';

const RATE = 24_000;
/** An audio clock that began at 1000 ms of the wall's. */
const wallMsOf = (frame: number) => 1000 + (frame / RATE) * 1000;

describe('what was heard of a turn', () => {
  it('is one span where nothing came between', () => {
    const spans = new HeardSpans();
    spans.add({ sample: 0, count: 480, frame: 0 }, RATE, wallMsOf);
    spans.add({ sample: 480, count: 240, frame: 480 }, RATE, wallMsOf);
    expect(spans.list).toEqual([{ sample: 0, count: 720, atMs: 1000 }]);
    expect(spans.end).toBe(720);
  });

  it('begins another span behind silence, exact to the sample although the wall clock is read anew', () => {
    const spans = new HeardSpans();
    spans.add({ sample: 0, count: 480, frame: 0 }, RATE, wallMsOf);
    // Read 3 ms later than the audio clock says.
    spans.add({ sample: 480, count: 240, frame: 1000 }, RATE, (frame) => wallMsOf(frame) + 3);
    const [first, second] = spans.list;
    const silentMs = (second?.atMs ?? 0) - (first?.atMs ?? 0) - 20;
    expect(Math.round((silentMs / 1000) * RATE)).toBe(520);
  });

  it('takes the wall clock where the audio clock stood still, or another output took over', () => {
    const spans = new HeardSpans();
    spans.add({ sample: 0, count: 480, frame: 0 }, RATE, wallMsOf);
    spans.add({ sample: 480, count: 240, frame: 1000 }, RATE, (frame) => wallMsOf(frame) + 5000);
    spans.break();
    spans.add({ sample: 720, count: 240, frame: 1240 }, RATE, () => 9000);
    expect(spans.list.map(({ atMs }) => Math.round(atMs))).toEqual([1000, 6042, 9000]);
  });

  it('tells how far it came, also where a few samples were heard twice', () => {
    const spans = new HeardSpans();
    spans.add({ sample: 0, count: 500, frame: 0 }, RATE, wallMsOf);
    spans.add({ sample: 480, count: 10, frame: 500 }, RATE, wallMsOf);
    expect(spans.list.map(({ sample, count }) => [sample, count])).toEqual([
      [0, 500],
      [480, 10],
    ]);
    expect(spans.end).toBe(500);
  });
});
