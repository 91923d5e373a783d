import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stereoGains } from './stereo-gains.ts';

describe('a place between the loudspeakers', () => {
  it.each([
    [1, 0, [1, 1]],
    [0.5, 0, [0.5, 0.5]],
    [1, -1, [1, 0]],
    [0.5, -1, [0.5, 0]],
    [0.5, 1, [0, 0.5]],
    [1, 0.25, [0.75, 1]],
    [1, -0.25, [1, 0.75]],
    [0, 0.7, [0, 0]],
  ])('at volume %d and position %d has the gains %j', (volume, position, gains) => {
    expect(stereoGains(volume, position)).toEqual(gains);
  });

  it('keeps the volume on the near side, is never louder, and mirrors', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(unit, unit, (volume, distance) => {
        const [left, right] = stereoGains(volume, -distance);
        expect(left).toBe(volume);
        expect(right).toBeGreaterThanOrEqual(0);
        expect(right).toBeLessThanOrEqual(volume);
        expect(stereoGains(volume, distance)).toEqual([right, left]);
      }),
    );
  });
});
