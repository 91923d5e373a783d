import { spellingOf } from '#lib/text/spoken-form.ts';
import { elevenLabsMulti, elevenLabsStream } from '#protocol/elevenlabs/endpoints.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
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
import { createElevenLabsServices, type ElevenLabsServices } from './access.ts';
import { MultiInputSession, StreamInputSession } from './input-sessions.ts';
import { settingsIn } from './speaker.ts';

// Loads the rules of English, for which no fake clock waits.
await spellingOf('en');

const VOICE = 'EXAVITQu4vr4xnSDxMaL';

export interface World extends SessionWorld<StreamInputSession | MultiInputSession> {
  services: ElevenLabsServices;
  errors(): unknown[];
}

interface Options extends Shared {
  query?: string;
  voice?: string;
  /** Of the handshake. */
  key?: string;
  beside?: World;
}

export const createWorld = (kind: 'stream' | 'multi', options: Options = {}): World => {
  const { query = 'output_format=pcm_24000', voice = VOICE, key = 'local', beside, client } = options;
  const parts = worldParts(options);
  const services = beside?.services ?? createElevenLabsServices(createTestParts(parts.engine, parts.clock));
  const endpoint = kind === 'stream' ? elevenLabsStream : elevenLabsMulti;
  const path = endpoint.path.replace('{voice_id}', voice);
  const Session = kind === 'stream' ? StreamInputSession : MultiInputSession;
  const world = openWorld(
    endpoint.id,
    parts,
    client,
    (connection) =>
      new Session({
        address: '127.0.0.1',
        connection,
        services,
        meter: NO_METER('other'),
        requestId: REQUEST_ID,
        key,
        settings: settingsIn(endpoint, new URL(`http://x${path}?${query}`)),
      }),
  );
  return {
    ...world,
    services,
    /** Kind and context of each frame. */
    kinds: () => world.sent.map(kindOf),
    errors: () => world.sent.filter(({ error }) => error !== undefined),
  };
};

function kindOf({ audio, alignment, isFinal, error, contextId }: Frame): string {
  const kind = error ?? (isFinal ? 'final' : audio ? (alignment ? 'segment' : 'tail') : 'empty');
  return contextId === undefined ? String(kind) : `${contextId}:${kind}`;
}

/** Characters of a frame's alignment. */
export const charsOf = ({ alignment }: Frame): string => (alignment as Alignment).chars.join('');

/** Bytes of a frame's audio. */
export const bytesOf = ({ audio }: Frame): Buffer => Buffer.from(String(audio ?? ''), 'base64');
