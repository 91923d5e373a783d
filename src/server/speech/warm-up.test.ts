import { describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { type Engine, EngineClosedError, ORDINARY_SPEECH, type SpeechRequest } from './engine.ts';
import { VOICES } from './voices/voices.ts';
import { warmingEngine } from './warm-up.ts';

const THREADS = 3;

/** A warm-up of an engine whose threads take sessions in turn, and wait for `release`. */
function begin() {
  const engine = createTestEngine();
  const logged: string[] = [];
  const sessions: string[] = [];
  const speaking = new Set<string>();
  /** Voices that have spoken, by thread. */
  const voicesOf = Array.from({ length: THREADS }, () => new Set<SpeechRequest['voice']>());
  const threaded: Engine = {
    close: () => engine.close(),
    async *synthesize(request, signal) {
      const { session, voice } = request;
      if (!sessions.includes(session)) sessions.push(session);
      speaking.add(session);
      try {
        yield* engine.synthesize(request, signal);
        voicesOf[sessions.indexOf(session) % THREADS]?.add(voice);
      } finally {
        speaking.delete(session);
      }
    },
  };
  engine.hold();
  const log = createLog('trace', { write: (line) => logged.push(line) });
  const warming = warmingEngine(threaded, { threads: THREADS, log });
  const idle = async () => {
    do await settle();
    while (speaking.size > 0);
  };
  return { engine, logged, speaking, voicesOf, idle, warming, warm: warming.warmUp() };
}

describe('the warm-up', () => {
  it('resolves when each thread has spoken by several voices, and goes on for a while', async () => {
    const { engine, logged, speaking, voicesOf, idle, warm } = begin();
    let isWarm = false;
    void warm.then(() => {
      isWarm = true;
    });
    await settle();
    expect(isWarm).toBe(false);
    engine.release();
    await warm;
    for (const voices of voicesOf) expect(voices.size).toBeGreaterThan(1);
    await settle();
    expect(speaking).not.toEqual(new Set());
    await idle();
    expect(logged).toEqual([]);
  });

  it('rejects when the engine cannot speak', async () => {
    const engine = createTestEngine();
    engine.failNext();
    const { warmUp } = warmingEngine(engine, { threads: THREADS, log: createLog('silent') });
    await expect(warmUp()).rejects.toThrow('the engine broke');
  });

  it('ends with the first request of a client', async () => {
    const { engine, logged, speaking, idle, warming, warm } = begin();
    engine.release();
    await warm;
    engine.hold();
    const request = { ...ORDINARY_SPEECH, text: 'Hello.', voice: VOICES[0], session: 'client' };
    const heard = (async () => {
      for await (const _ of warming.engine.synthesize(request, new AbortController().signal));
    })();
    await settle();
    expect(speaking).toEqual(new Set(['client']));
    engine.release();
    await heard;
    await idle();
    expect(logged).toEqual([]);
  });

  it.each([
    ['logs a later failure', undefined, ['the engine did not warm up']],
    ['is silent when the engine is closed', new EngineClosedError(), []],
  ])('%s', async (_, failure, lines) => {
    const { engine, logged, idle, warm } = begin();
    engine.release();
    await warm;
    engine.failNext(failure);
    await idle();
    expect(logged.map((line) => JSON.parse(line).msg)).toEqual(lines);
  });
});
