import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { EngineClosedError, ORDINARY_SPEECH } from './engine.ts';
import { VOICES } from './voices/voices.ts';
import { warmingEngine } from './warm-up.ts';

/** A warm-up of three threads. */
function begin() {
  const engine = createTestEngine();
  const logged: string[] = [];
  engine.hold();
  const log = createLog('trace', { write: (line) => logged.push(line) });
  const warming = warmingEngine(engine, { threads: 3, log });
  return { engine, logged, warming, warm: warming.warmUp() };
}

describe('the warm-up', () => {
  it('resolves when each thread has spoken by several voices, and goes on to a burst', async () => {
    const { engine, logged, warm } = begin();
    let isWarm = false;
    void warm.then(() => {
      isWarm = true;
    });
    await settle();
    // Each session has its own share of the threads.
    expect(new Set(engine.requests.map(({ session }) => session)).size).toBe(9);
    expect(isWarm).toBe(false);
    engine.release();
    await warm;
    engine.hold();
    await settle();
    expect(engine.requests).toHaveLength(12);
    engine.release();
    while (engine.requests.length < 21) await settle();
    await settle();
    expect(engine.requests).toHaveLength(21);
    expect(logged).toEqual([]);
  });

  it('rejects when the engine cannot speak', async () => {
    const engine = createTestEngine();
    engine.failNext();
    const warm = warmingEngine(engine, { threads: 3, log: createLog('silent') }).warmUp();
    await expect(warm).rejects.toThrow('the engine broke');
  });

  it('ends with the first request of a client', async () => {
    const { engine, logged, warming, warm } = begin();
    engine.release();
    await warm;
    engine.hold();
    await settle();
    expect(engine.requests).toHaveLength(12);
    const request = { ...ORDINARY_SPEECH, text: 'Hello.', voice: VOICES[0], session: 'client' };
    const heard = (async () => {
      for await (const _ of warming.engine.synthesize(request, new AbortController().signal));
    })();
    engine.release();
    await heard;
    await settle();
    expect(engine.requests.map(({ session }) => session).slice(12)).toEqual(['client']);
    expect(logged).toEqual([]);
  });

  it.each([
    ['logs a later failure', undefined, ['the engine did not warm up']],
    ['is silent when the engine is closed', new EngineClosedError(), []],
  ])('%s', async (_, failure, lines) => {
    const { engine, logged, warm } = begin();
    engine.release();
    await warm;
    engine.failNext(failure);
    while (engine.requests.length < 15) await settle();
    await settle();
    expect(logged.map((line) => JSON.parse(line).msg)).toEqual(lines);
  });
});
