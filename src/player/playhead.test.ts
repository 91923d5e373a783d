import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Playhead, type PlayheadReading } from './playhead.ts';

describe('Playhead', () => {
  const point: PlayheadReading = {
    epoch: 1,
    turn: 7,
    sample: 1000,
    atMs: 500,
    isPlaying: true,
    isRepeat: false,
    queuedSamples: 2400,
    sampleRate: 24_000,
  };
  const head = (...points: Partial<PlayheadReading>[]) => {
    const playhead = new Playhead();
    for (const change of points) playhead.read({ ...point, ...change });
    return playhead;
  };

  it.each([
    ['at the moment of the reading', {}, 500, 1000],
    ['later, as far as time has gone', {}, 510, 1240],
    ['no further than what is queued', {}, 5000, 3400],
    ['before, where the reading is yet to be heard', {}, 490, 760],
    ['no further than half a second, without another reading', { queuedSamples: 90_000 }, 60_000, 13_000],
    ['not before the turn', {}, 300, 0],
    ['where it stopped', { isPlaying: false }, 900, 1000],
  ])('is %s', (_, change, nowMs, sample) => {
    expect(head(change).at(nowMs)).toEqual({ turn: 7, sample, repeat: null });
  });

  it('is never before the first reading of a repeat, which may start within the turn', () => {
    expect(head({ isRepeat: true }).at(490)).toEqual({ turn: 7, sample: 1000, repeat: 1 });
  });

  it('is nowhere without a turn', () => {
    expect(new Playhead().at(0)).toBeNull();
    expect(head({ turn: null }).at(600)).toBeNull();
  });

  it('goes back for another turn, for a repeat and for each repeat after that', () => {
    const playhead = head({});
    playhead.at(600);
    const repeat = { ...point, isRepeat: true, sample: 0 };
    playhead.read({ ...repeat, epoch: 2 });
    expect(playhead.at(500)).toEqual({ turn: 7, sample: 0, repeat: 2 });
    playhead.at(550);
    playhead.read({ ...repeat, epoch: 3 });
    expect(playhead.at(500)).toEqual({ turn: 7, sample: 0, repeat: 3 });
    playhead.read({ ...point, epoch: 4, turn: 8, sample: 3 });
    expect(playhead.at(500)).toEqual({ turn: 8, sample: 3, repeat: null });
  });

  it('does not go back where the turn was at no playhead for a while, or where its queue changed', () => {
    const playhead = head({});
    expect(playhead.at(600)?.sample).toBe(3400);
    playhead.read({ ...point, turn: null });
    playhead.at(650);
    playhead.read({ ...point, sample: 2000, atMs: 700 });
    expect(playhead.at(700)?.sample).toBe(3400);
    playhead.read({ ...point, epoch: 2, sample: 2500, atMs: 720 });
    expect(playhead.at(720)?.sample).toBe(3400);
  });

  it('never goes back within one hearing of a turn, for any readings', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ sample: fc.nat(10_000), atMs: fc.nat(2000), isPlaying: fc.boolean() })),
        (points) => {
          const playhead = new Playhead();
          let before = 0;
          points.forEach((change, i) => {
            playhead.read({ ...point, ...change });
            const { sample = 0 } = playhead.at(i * 16) ?? {};
            expect(sample).toBeGreaterThanOrEqual(before);
            before = sample;
          });
        },
      ),
    );
  });
});
