import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HeardSpan, heardWaveform } from './heard-waveform.ts';

const span = (turn: number, fromMs: number, toMs: number): HeardSpan => ({
  turn,
  hue: 1,
  fromMs,
  toMs,
  audioFromMs: 0,
});
const placesOf = (spans: readonly HeardSpan[], nowMs: number) =>
  heardWaveform(spans, nowMs).spans.map(({ turn, fromMs, toMs }) => [turn, fromMs, toMs]);

describe('the waveform of heard audio', () => {
  it('has the playhead in the turn that plays, with its queued audio ahead', () => {
    expect(placesOf([span(1, 1000, 5000)], 2500)).toEqual([[1, -1500, 2500]]);
    expect(heardWaveform([span(1, 1000, 5000)], 2500).isMoving).toBe(true);
  });

  it('stops in silence', () => {
    const spans = [span(1, 1000, 2000)];
    expect(heardWaveform(spans, 60_000)).toEqual(heardWaveform(spans, 90_000));
    expect(heardWaveform(spans, 60_000).isMoving).toBe(false);
    expect(placesOf(spans, 60_000)).toEqual([[1, -1240, -240]]);
  });

  it('shortens the silence between turns', () => {
    const spans = [span(1, 1000, 2000), span(2, 9000, 9500)];
    expect(placesOf(spans, 9100)).toEqual([
      [1, -1340, -340],
      [2, -100, 400],
    ]);
  });

  it('keeps short gaps and overlaps as they were heard', () => {
    const spans = [span(1, 0, 1000), span(2, 800, 1500), span(1, 1600, 2000)];
    expect(placesOf(spans, 2000)).toEqual([
      [1, -2000, -1000],
      [2, -1200, -500],
      [1, -400, 0],
    ]);
  });

  it('is empty before anything is heard', () => {
    expect(heardWaveform([], 1000)).toEqual({ spans: [], isMoving: false });
    expect(heardWaveform([span(1, 2000, 3000)], 1000).spans).toEqual([]);
  });

  it('never goes back, keeps every length, and nothing heard is ahead of the playhead', () => {
    const lengths = fc.array(fc.tuple(fc.nat(4000), fc.integer({ min: 1, max: 4000 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(lengths, fc.nat(60_000), fc.nat(2000), (pairs, nowMs, laterMs) => {
        let atMs = 0;
        const spans = pairs.map(([gapMs, ms], at) => {
          const from = atMs + gapMs;
          atMs = from + ms;
          return span(at, from, atMs);
        });
        const before = heardWaveform(spans, nowMs).spans;
        const after = new Map(heardWaveform(spans, nowMs + laterMs).spans.map((one) => [one.turn, one]));
        for (const one of before) {
          const { fromMs, toMs } = spans[one.turn] ?? span(0, 0, 0);
          expect(one.toMs - one.fromMs).toBeCloseTo(toMs - fromMs, 6);
          if (toMs <= nowMs) expect(one.toMs).toBeLessThanOrEqual(1e-6);
          expect(after.get(one.turn)?.fromMs).toBeLessThanOrEqual(one.fromMs + 1e-6);
        }
      }),
    );
  });
});
