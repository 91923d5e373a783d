import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startPause } from './start-pace.ts';

describe('startPause', () => {
  it.each([
    ['nothing was given', 0, 0, 0],
    ['the player has little', 300, 0, 0],
    ['the player has enough', 800, 0, 100],
    ['time has passed since', 800, 60, 40],
    ['the audio is due', 800, 130, 0],
    ['the player has much', 60_000, 0, 500],
    ['the start is over', 60_000, 500, 0],
  ])('where %s: %i ms of audio after %i ms wait %i ms', (_, givenMs, elapsedMs, expected) => {
    expect(startPause(givenMs, elapsedMs)).toBe(expected);
  });

  it('never lets audio run out, nor slows a text down by more than half a second', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 50 }),
        (blocksMs) => {
          let elapsedMs = 0;
          let givenMs = 0;
          for (const blockMs of blocksMs) {
            elapsedMs += startPause(givenMs, elapsedMs);
            if (givenMs > 0) expect(elapsedMs).toBeLessThan(givenMs);
            givenMs += blockMs;
          }
          expect(elapsedMs).toBeLessThanOrEqual(500);
        },
      ),
    );
  });
});
