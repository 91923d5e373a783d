import { createFakeClock } from '../fake-clock.test-helper.ts';
import { createKeys } from '../keys.ts';
import { createLog } from '../log.ts';
import { NO_METER } from '../metrics/meter.ts';
import {
  openWorld,
  REQUEST_ID,
  type SessionWorld,
  type Shared,
  worldParts,
} from '../session-world.test-helper.ts';
import { type Frame, kindsOf } from '../socket-client.test-helper.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { VOICES } from '../speech/voices/voices.ts';
import type { SlidingWindow } from '../state/sliding-window.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { createAccess } from './access.ts';
import { RealtimeSession } from './realtime-session.ts';
import type { ClonedVoice } from './voice-choice.ts';

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

export interface World extends SessionWorld<RealtimeSession, Frame | Uint8Array> {
  logged: string[];
}

/** Several worlds with one `access` are connections to one server. */
export function createWorld(access = createTestAccess(), client?: Shared['client']): World {
  const parts = worldParts({ client });
  const logged: string[] = [];
  const world = openWorld<RealtimeSession, Frame | Uint8Array>(
    'murmr',
    parts,
    client,
    (connection) =>
      new RealtimeSession({
        connection,
        services: {
          engine: parts.engine,
          catalogue: LOCAL_CATALOGUE,
          access,
          log: createLog('info', { write: (line) => logged.push(line) }),
        },
        meter: NO_METER('other'),
        requestId: REQUEST_ID,
      }),
  );
  return { ...world, logged, kinds: () => kindsOf(world.sent) };
}

/** The documented keys, and a window that admits every generation unless another one is given. */
export function createTestAccess(window: SlidingWindow = async () => true) {
  const parts = createTestParts(createTestEngine(), createFakeClock());
  const keys = createKeys({ keys: ['mine'], only: false });
  return createAccess({ ...parts, keys, limits: { sockets: 400, socketsOfOne: 400 } }, window);
}
