import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { StartingLine } from './starting-line.ts';

/** Some that begin together, with those that have been let go. */
function line(count: number) {
  const clock = createFakeClock();
  const startingLine = new StartingLine(clock);
  const gone: number[] = [];
  const enter = (at: number) => {
    const starter = startingLine.enter();
    const ready = () => void starter.ready().then(() => gone.push(at));
    return { ready, leave: starter.leave };
  };
  return { clock, gone, enter, starters: Array.from({ length: count }, (_, at) => enter(at)) };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('contexts that begin together', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [20, 10],
  ])('of %d the first is held until %d are ready', async (count, needed) => {
    const { gone, starters } = line(count);
    for (let at = 0; at < needed; at += 1) {
      expect(gone).toEqual([]);
      starters[at]?.ready();
      await settled();
    }
    expect(gone).toHaveLength(needed);
    starters[count - 1]?.ready();
    await settled();
    expect(gone).toContain(count - 1);
  });

  it('do not wait for those who leave', async () => {
    const { gone, starters } = line(4);
    starters[0]?.ready();
    starters[1]?.leave();
    starters[1]?.leave();
    await settled();
    expect(gone).toEqual([]);
    starters[2]?.leave();
    await settled();
    expect(gone).toEqual([0]);
  });

  it('wait for nobody longer than a tenth of a second', async () => {
    const { clock, gone, starters } = line(20);
    starters[0]?.ready();
    await clock.advance(99);
    expect(gone).toEqual([]);
    await clock.advance(1);
    expect(gone).toEqual([0]);
  });

  it('do not hold one who begins when they speak', async () => {
    const { gone, enter, starters } = line(4);
    starters[0]?.ready();
    starters[1]?.ready();
    await settled();
    enter(9).ready();
    await settled();
    expect(gone).toEqual([0, 1, 9]);
  });
});
