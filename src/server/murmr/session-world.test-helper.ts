import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import { createKeys } from '../keys.ts';
import { createLog } from '../log.ts';
import { NO_METER } from '../metrics/meter.ts';
import { type Frame, kindsOf } from '../socket-client.test-helper.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { openMemoryState } from '../state/memory-state.ts';
import type { SlidingWindow } from '../state/sliding-window.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { createAccess } from './access.ts';
import { Quota } from './quota.ts';
import { RealtimeSession } from './realtime-session.ts';
import type { ClonedVoice } from './voice-prompt.ts';

export const CONFIG = {
  type: 'config',
  api_key: 'local',
  voice_description: 'A warm voice',
  language: 'English',
};
export const FLUSH = { type: 'flush' };
export const PING = { type: 'ping' };
export const text = (value: string) => ({ type: 'text', text: value });

/** A voice of the catalogue, as a prompt names it. */
export const CLONED_VOICE = { catalogue: VOICES[0] } as const satisfies ClonedVoice;

/** A session, all that it works with, and what it did. */
export interface World {
  session: RealtimeSession;
  clock: FakeClock;
  engine: TestEngine;
  /** Sent, in order; bytes are binary frames. */
  sent: (Frame | Uint8Array)[];
  closes: [code: number, reason: string][];
  logged: string[];
  /** Whether the session reads what the client sends. */
  isReading(): boolean;
  /** Sends messages: objects as JSON, anything else as it is. */
  send(...messages: (Frame | string)[]): void;
  /** Text frames of that type. */
  of(type: string): Frame[];
  /** Types in order, runs of audio as one. */
  kinds(): string[];
  /** From now on the client reads nothing, until the returned function is called. */
  blockClient(): () => void;
}

interface Watch {
  sent(payload: string | Uint8Array): void;
  closed(code: number): void;
}

/** Several worlds with one `access` are connections to one server. `watch` sees each message as it leaves. */
export function createWorld(access = createTestAccess(), watch?: Watch): World {
  const clock = createFakeClock();
  const engine = createTestEngine();
  const sent: (Frame | Uint8Array)[] = [];
  const closes: [number, string][] = [];
  const logged: string[] = [];
  let drained = Promise.resolve();
  let reading = true;
  const session = new RealtimeSession({
    connection: testConnection(clock, {
      send(message) {
        sent.push(typeof message === 'string' ? (JSON.parse(message) as Frame) : message);
        watch?.sent(message);
      },
      close(code, reason) {
        closes.push([code, reason]);
        watch?.closed(code);
      },
      drained: () => drained,
      pause: () => {
        reading = false;
      },
      resume: () => {
        reading = true;
      },
    }),
    engine,
    catalogue: LOCAL_CATALOGUE,
    access,
    meter: NO_METER('other'),
    requestId: 'a1b2c3d4-0000-4000-8000-000000000000',
    log: createLog('info', { write: (line) => logged.push(line) }),
  });
  return {
    session,
    clock,
    engine,
    sent,
    closes,
    logged,
    isReading: () => reading,
    send(...messages) {
      for (const message of messages) {
        session.text(typeof message === 'string' ? message : JSON.stringify(message));
      }
    },
    of: (type) =>
      sent.filter((frame): frame is Frame => !(frame instanceof Uint8Array) && frame.type === type),
    kinds: () => kindsOf(sent),
    blockClient() {
      let release = () => {};
      drained = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        drained = Promise.resolve();
        release();
      };
    },
  };
}

/** Keys of the contract, and a window that admits every generation unless another one is given. */
export function createTestAccess(window: SlidingWindow = async () => true) {
  const { places, sums } = openMemoryState();
  return createAccess({
    keys: createKeys({ keys: ['mine'], only: false }),
    quota: new Quota(createFakeClock(), sums),
    places,
    connectionsOfOne: 400,
    window,
  });
}
