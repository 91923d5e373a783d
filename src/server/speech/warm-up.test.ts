import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { EngineClosedError } from './engine.ts';
import { warmUp } from './warm-up.ts';

/** A warm-up of three threads. */
function begin() {
  const engine = createTestEngine();
  const logged: string[] = [];
  engine.hold();
  const log = createLog('trace', { write: (line) => logged.push(line) });
  return { engine, logged, warm: warmUp(engine, { threads: 3, log }) };
}

describe('the warm-up', () => {
  it('resolves when each thread has spoken a sentence, and goes on to a burst', async () => {
    const { engine, logged, warm } = begin();
    let isWarm = false;
    void warm.then(() => {
      isWarm = true;
    });
    await settle();
    // Each session has its own share of the threads.
    expect(new Set(engine.requests.map(({ session }) => session)).size).toBe(3);
    expect(isWarm).toBe(false);
    engine.release();
    await warm;
    engine.hold();
    await settle();
    expect(engine.requests).toHaveLength(6);
    engine.release();
    while (engine.requests.length < 15) await settle();
    await settle();
    expect(engine.requests).toHaveLength(15);
    expect(logged).toEqual([]);
  });

  it('rejects when the engine cannot speak', async () => {
    const engine = createTestEngine();
    engine.failNext();
    const warm = warmUp(engine, { threads: 3, log: createLog('silent') });
    await expect(warm).rejects.toThrow('the engine broke');
  });

  it.each([
    ['logs a later failure', undefined, ['the engine did not warm up']],
    ['is silent when the engine is closed', new EngineClosedError(), []],
  ])('%s', async (_, failure, lines) => {
    const { engine, logged, warm } = begin();
    engine.release();
    await warm;
    engine.failNext(failure);
    while (engine.requests.length < 9) await settle();
    await settle();
    expect(logged.map((line) => JSON.parse(line).msg)).toEqual(lines);
  });
});
