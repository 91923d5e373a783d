import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import { NO_METER } from '../metrics/meter.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { openMemoryState } from '../state/memory-state.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import type { SessionOptions } from './kugel-session.ts';
import type { Frame } from './socket-client.test-helper.ts';
import { createKugelStore } from './store.ts';

/** What a session is given in a test, and what it did with it. */
export interface SessionWorld {
  options: SessionOptions;
  clock: FakeClock;
  engine: TestEngine;
  /** Sent, in order. */
  frames: Frame[];
  closes: [code: number, reason: string][];
  logged: unknown[];
}

export function createSessionWorld(priced = true): SessionWorld {
  const clock = createFakeClock();
  const engine = createTestEngine();
  const frames: Frame[] = [];
  const closes: [number, string][] = [];
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => {
    logged.push(line);
  };
  const options: SessionOptions = {
    connection: {
      clock,
      // A rejection stays unhandled, which fails the test run.
      background: (work) => void work(),
      send: (message) => frames.push(JSON.parse(String(message)) as Frame),
      close: (code, reason) => closes.push([code, reason]),
      reset: () => {},
      drained: async () => {},
      pause: () => {},
      resume: () => {},
      silence: () => {},
    },
    engine,
    account: { priced },
    store: createKugelStore(openMemoryState(), LOCAL_CATALOGUE),
    meter: NO_METER('other'),
    requestId: 'r-1',
    log: {
      info: note,
      warn: note,
      error: note,
      child() {
        return this;
      },
    },
  };
  return { options, clock, engine, frames, closes, logged };
}
