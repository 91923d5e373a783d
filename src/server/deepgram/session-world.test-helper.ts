import { audioFormatOf } from '#protocol/deepgram/wire/settings.ts';
import { encodeSamples } from '../audio/output.ts';
import type { Session } from '../connection.ts';
import { NO_METER } from '../metrics/meter.ts';
import {
  openWorld,
  REQUEST_ID,
  type SessionWorld,
  type Shared,
  worldParts,
} from '../session-world.test-helper.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { createDeepgramServices } from './access.ts';
import { querySettings, speakerIn } from './address.ts';
import { AuraSession } from './aura-session.ts';
import { FluxSession } from './flux-session.ts';

export interface World extends SessionWorld<Session, Frame | Uint8Array> {
  /** How often the place of the connection was left. */
  readonly left: number;
  ping(): void;
  /** Forgets what was sent. */
  forget(): void;
}

interface Options extends Shared {
  query?: string;
}

const OF = {
  aura: { id: 'deepgram', Opened: AuraSession, path: '/v1/speak', query: 'model=aura-2-thalia-en' },
  flux: { id: 'deepgram-flux', Opened: FluxSession, path: '/v2/speak', query: 'model=flux-alexis-en' },
} as const;

export function createWorld(family: keyof typeof OF, options: Options = {}): World {
  const { id, Opened, path, query: usual } = OF[family];
  const { query = usual, client } = options;
  const parts = worldParts(options);
  const { log, voices } = createDeepgramServices(createTestParts(parts.engine, parts.clock));
  const settings = querySettings(new URL(`http://x${path}?${query}`), family, 'sockets');
  const { encoding, sampleRate } = audioFormatOf(family)(settings);
  let left = 0;
  const world = openWorld<Session, Frame | Uint8Array>(
    id,
    parts,
    client,
    (connection) =>
      new Opened({
        connection,
        services: { engine: parts.engine, log },
        meter: NO_METER('other'),
        requestId: REQUEST_ID,
        speaker: speakerIn(settings, family, voices),
        encode: (samples) => encodeSamples(encoding, samples),
        sampleRate,
        isLimited: true,
        lease: {
          leave() {
            left += 1;
          },
        },
      }),
  );
  return {
    ...world,
    get left() {
      return left;
    },
    ping: () => world.session.pinged?.(),
    forget: () => void world.sent.splice(0),
  };
}

export const speak = (text: string) => ({ type: 'Speak', text });
export const FLUSH = { type: 'Flush' };
export const CLEAR = { type: 'Clear' };
export const CLOSE = { type: 'Close' };
export const INTERRUPT = { type: 'Interrupt' };
export const interruptAt = (value: number) => ({
  ...INTERRUPT,
  playback_offset: { type: 'time_ms', value },
});

/** Bytes of audio. */
export const bytesIn = (sent: World['sent']): number =>
  sent.reduce((sum, each) => sum + (each instanceof Uint8Array ? each.length : 0), 0);
