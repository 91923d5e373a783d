import type { Version } from '#protocol/cartesia/wire/settings.ts';
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
import { type CartesiaServices, createCartesiaServices } from './access.ts';
import { CartesiaSession } from './session.ts';

/** Grace. */
export const VOICE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
export const FORMAT = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 };

export interface World extends SessionWorld<CartesiaSession> {
  services: CartesiaServices;
}

interface Options extends Shared {
  version?: Version;
  key?: string;
  beside?: World;
}

export async function createWorld(options: Options = {}): Promise<World> {
  const { version = '2026-08-14', key = 'local', beside, client } = options;
  const parts = worldParts(options);
  const services = beside?.services ?? createCartesiaServices(createTestParts(parts.engine, parts.clock));
  const account = services.accounts.of(key);
  const lease = account && (await services.accounts.admit(account, 'sockets'));
  if (!lease || 'refusal' in lease) throw new Error(`no socket for ${key}: ${lease?.refusal}`);
  const world = openWorld(
    'cartesia',
    parts,
    client,
    (connection) =>
      new CartesiaSession({
        connection,
        services,
        meter: NO_METER('other'),
        requestId: REQUEST_ID,
        account,
        lease,
        version,
      }),
  );
  return {
    ...world,
    services,
    /** Context and kind of each frame, runs of one kind as one. */
    kinds: () =>
      world.sent
        .map(({ context_id, type, status_code }) =>
          [context_id, type === 'error' ? status_code : type].filter((each) => each !== undefined).join(':'),
        )
        .filter((kind, at, all) => kind !== all[at - 1]),
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
