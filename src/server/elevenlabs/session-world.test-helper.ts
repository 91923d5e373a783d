import { spellingOf } from '#lib/text/spoken-form.ts';
import { elevenLabsMulti } from '#protocol/elevenlabs/multi.ts';
import { elevenLabsStream } from '#protocol/elevenlabs/stream.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { NO_METER } from '../metrics/meter.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { settingsIn } from './address.ts';
import { MultiInputSession } from './multi-session.ts';
import { createElevenLabsServices, type ElevenLabsServices } from './services.ts';
import { StreamInputSession } from './stream-session.ts';

// Loads the rules of English, for which no fake clock waits.
await spellingOf('en');

const VOICE = 'EXAVITQu4vr4xnSDxMaL';

export interface World {
  clock: FakeClock;
  engine: TestEngine;
  services: ElevenLabsServices;
  session: StreamInputSession | MultiInputSession;
  sent: Frame[];
  closes: [code: number, reason: string][];
  isReading(): boolean;
  /** Sends messages, and lets what they set off happen. */
  send(...messages: (object | string)[]): Promise<void>;
  /** Texts of the engine's requests. */
  spoken(): string[];
  /** Kind and context of each frame. */
  kinds(): string[];
  errors(): unknown[];
}

interface Options {
  query?: string;
  voice?: string;
  /** Of the handshake. */
  key?: string;
  /** Another connection to the same server. */
  beside?: World;
  /** Sees each message as it leaves. */
  watch?: { sent(message: string): void; closed(code: number): void };
}

export const createWorld = (kind: 'stream' | 'multi', options: Options = {}): World => {
  const { query = 'output_format=pcm_24000', voice = VOICE, key = 'local', beside, watch } = options;
  const clock = beside?.clock ?? createFakeClock();
  const engine = beside?.engine ?? createTestEngine();
  const sent: Frame[] = [];
  const closes: [number, string][] = [];
  let isReading = true;
  const services = beside?.services ?? createElevenLabsServices(createTestParts(engine, clock));
  const endpoint = kind === 'stream' ? elevenLabsStream : elevenLabsMulti;
  const path = endpoint.path.replace('{voice_id}', voice);
  const Session = kind === 'stream' ? StreamInputSession : MultiInputSession;
  const session = new Session({
    address: '127.0.0.1',
    connection: testConnection(clock, {
      send(message) {
        sent.push(JSON.parse(String(message)));
        watch?.sent(String(message));
      },
      close(code, reason) {
        closes.push([code, reason]);
        watch?.closed(code);
      },
      pause: () => {
        isReading = false;
      },
      resume: () => {
        isReading = true;
      },
    }),
    services,
    meter: NO_METER('other'),
    requestId: 'a1b2c3d4-0000-4000-8000-000000000000',
    key,
    settings: settingsIn(endpoint, new URL(`http://x${path}?${query}`)),
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
    isReading: () => isReading,
    spoken: () => engine.requests.map(({ text }) => text),
    kinds: () => sent.map(kindOf),
    errors: () => sent.filter(({ error }) => error !== undefined),
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
