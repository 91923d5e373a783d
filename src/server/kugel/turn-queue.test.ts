import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { bill } from './server-turn.ts';
import { StartBarrier } from './turn-queue.ts';

const turn = (audioSeconds: number) => ({ audioSeconds, characters: 142, modelId: 'kugel-3' });

describe('bill', () => {
  it.each([
    [5.4, 0.49],
    [4.1, 0.37],
    [2.0, 0.18],
    [1.5, 0.14],
    [0, 0],
  ])('%f s cost %f cents', (seconds, cents) => {
    expect(bill({ condition: 'works' }, turn(seconds))).toEqual({
      audio_seconds: seconds,
      characters: 142,
      cost_cents: cents,
      currency: 'eur',
      model_id: 'kugel-3',
    });
  });
});

/** Contexts that begin together; `gone` lists those whose first audio may be sent. */
function contexts(count: number) {
  const clock = createFakeClock();
  const startBarrier = new StartBarrier(clock);
  const gone: number[] = [];
  const enter = (at: number) => {
    const start = startBarrier.enter();
    const ready = () => void start.ready().then(() => gone.push(at));
    return { ready, leave: start.leave };
  };
  return { clock, gone, enter, starts: Array.from({ length: count }, (_, at) => enter(at)) };
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
    const { gone, starts } = contexts(count);
    for (let at = 0; at < needed; at += 1) {
      expect(gone).toEqual([]);
      starts[at]?.ready();
      await settled();
    }
    expect(gone).toHaveLength(needed);
    starts[count - 1]?.ready();
    await settled();
    expect(gone).toContain(count - 1);
  });

  it('do not wait for those who leave', async () => {
    const { gone, starts } = contexts(4);
    starts[0]?.ready();
    starts[1]?.leave();
    starts[1]?.leave();
    await settled();
    expect(gone).toEqual([]);
    starts[2]?.leave();
    await settled();
    expect(gone).toEqual([0]);
  });

  it('wait for nobody longer than a tenth of a second', async () => {
    const { clock, gone, starts } = contexts(20);
    starts[0]?.ready();
    await clock.advance(99);
    expect(gone).toEqual([]);
    await clock.advance(1);
    expect(gone).toEqual([0]);
  });

  it('do not hold one who begins when they speak', async () => {
    const { gone, enter, starts } = contexts(4);
    starts[0]?.ready();
    starts[1]?.ready();
    await settled();
    enter(9).ready();
    await settled();
    expect(gone).toEqual([0, 1, 9]);
  });
});
