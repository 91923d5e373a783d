import type { Version } from '#protocol/cartesia/wire/versions.ts';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { NO_METER } from '../metrics/meter.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { type CartesiaServices, createCartesiaServices } from './services.ts';
import { CartesiaSession } from './session.ts';

/** Grace. */
export const VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
export const FORMAT = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 };
const REQUEST_ID = 'a1b2c3d4-0000-4000-8000-000000000000';

export interface World {
  clock: FakeClock;
  engine: TestEngine;
  services: CartesiaServices;
  session: CartesiaSession;
  sent: Frame[];
  closes: [code: number, reason: string][];
  /** Sends messages, and lets what they set off happen. */
  send(...messages: (object | string)[]): Promise<void>;
  /** Texts of the engine's requests. */
  spoken(): string[];
  /** Context and kind of each frame, runs of one kind as one. */
  kinds(): string[];
  of(type: string, context?: string): Frame[];
}

interface Options {
  version?: Version;
  key?: string;
  /** Another connection to the same server. */
  beside?: World;
  /** Sees each message as it leaves. */
  watch?: { sent(message: string): void; closed(code: number): void };
}

export async function createWorld(options: Options = {}): Promise<World> {
  const { version = '2026-08-14', key = 'local', beside, watch } = options;
  const clock = beside?.clock ?? createFakeClock();
  const engine = beside?.engine ?? createTestEngine();
  const sent: Frame[] = [];
  const closes: [number, string][] = [];
  const services = beside?.services ?? createCartesiaServices(createTestParts(engine, clock));
  const account = services.access.ofKey(key);
  const lease = account && (await services.access.admit(account, 'sockets'));
  if (!lease || typeof lease === 'string') throw new Error(`no socket for ${key}: ${lease}`);
  const session = new CartesiaSession({
    connection: testConnection(clock, {
      send(message) {
        sent.push(JSON.parse(String(message)));
        watch?.sent(String(message));
      },
      close(code, reason) {
        closes.push([code, reason]);
        watch?.closed(code);
      },
    }),
    services,
    meter: NO_METER('other'),
    requestId: REQUEST_ID,
    account,
    lease,
    version,
  });
  return {
    clock,
    engine,
    services,
    session,
    sent,
    closes,
    async send(...messages) {
      for (const message of messages) {
        session.text(typeof message === 'string' ? message : JSON.stringify(message));
      }
      await settle();
    },
    spoken: () => engine.requests.map(({ text }) => text),
    kinds: () =>
      sent
        .map(({ context_id, type, status_code }) =>
          [context_id, type === 'error' ? status_code : type].filter((each) => each !== undefined).join(':'),
        )
        .filter((kind, at, all) => kind !== all[at - 1]),
    of: (type, context) =>
      sent.filter((frame) => frame.type === type && (context === undefined || frame.context_id === context)),
  };
}

/** A message with the settings of the newest version. */
export const say = (context_id: string, transcript: string, more: object = {}): Frame => ({
  model_id: 'sonic-3.6',
  voice: { id: VOICE },
  output_format: FORMAT,
  context_id,
  transcript,
  continue: true,
  ...more,
});

export const end = (context_id: string, more: object = {}): Frame =>
  say(context_id, '', { continue: false, ...more });

/** Bytes of the chunks. */
export const audioOf = (frames: readonly Frame[]): Buffer =>
  Buffer.concat(frames.map(({ data }) => Buffer.from(String(data), 'base64')));
