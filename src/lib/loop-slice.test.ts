import { describe, expect, it } from 'vitest';
import { yieldIfLong } from './loop-slice.ts';

/** Works in steps of half a millisecond, or more on a busy machine, and yields between them. */
async function work(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const startMs = performance.now();
    while (performance.now() - startMs < 0.5);
    await yieldIfLong();
  }
}

describe('yieldIfLong', () => {
  it('lets others run while many tasks work', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    await Promise.all(Array.from({ length: 20 }, () => work(20)));
    isOver = true;
    // While many tasks wait, a slice has about two of the 400 steps. Slices of 8 ms would give others 25 turns.
    expect(turns).toBeGreaterThan(80);
  });

  it('waits for nothing while the work is short', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(yieldIfLong()).toBeUndefined();
    expect(yieldIfLong()).toBeUndefined();
  });
});
