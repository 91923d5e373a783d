import { audioFormatOf } from '#protocol/deepgram/wire/audio-format.ts';
import { encodeSamples } from '../audio/output.ts';
import type { Session } from '../connection.ts';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { NO_METER } from '../metrics/meter.ts';
import { type Frame, kindsOf } from '../socket-client.test-helper.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { querySettings, speakerIn } from './address.ts';
import { AuraSession } from './aura-session.ts';
import { FluxSession } from './flux-session.ts';
import { createDeepgramServices } from './services.ts';

export interface World {
  clock: FakeClock;
  engine: TestEngine;
  session: Session;
  /** Text messages as objects. */
  sent: (Frame | Uint8Array)[];
  closes: [code: number, reason: string][];
  /** How often the place of the connection was left. */
  readonly left: number;
  isReading(): boolean;
  /** Sends messages, and lets what they set off happen. */
  send(...messages: (object | string)[]): Promise<void>;
  ping(): void;
  /** Texts of the engine's requests. */
  spoken(): string[];
  /** Types of frames in order, runs of audio as one `bytes`, and the close. */
  kinds(): string[];
  of(type: string): Frame[];
  /** Forgets what was sent. */
  forget(): void;
}

interface Options {
  query?: string;
  /** Sees each message as it leaves. */
  watch?: { sent(message: string | Uint8Array): void; closed(code: number): void };
}

const OF = {
  aura: { Opened: AuraSession, path: '/v1/speak', query: 'model=aura-2-thalia-en' },
  flux: { Opened: FluxSession, path: '/v2/speak', query: 'model=flux-alexis-en' },
} as const;

export async function createWorld(family: keyof typeof OF, options: Options = {}): Promise<World> {
  const { Opened, path, query: usual } = OF[family];
  const { query = usual, watch } = options;
  const clock = createFakeClock();
  const engine = createTestEngine();
  const { log, voices } = createDeepgramServices(createTestParts(engine, clock));
  const settings = querySettings(new URL(`http://x${path}?${query}`), family, 'sockets');
  const { encoding, sampleRate } = audioFormatOf(family)(settings);
  let sent: (Frame | Uint8Array)[] = [];
  const closes: [number, string][] = [];
  let isReading = true;
  let left = 0;
  const session: Session = new Opened({
    connection: testConnection(clock, {
      send(message) {
        sent.push(typeof message === 'string' ? JSON.parse(message) : message);
        watch?.sent(message);
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
    services: { engine, log },
    meter: NO_METER('other'),
    requestId: 'a1b2c3d4-0000-4000-8000-000000000000',
    speaker: speakerIn(settings, family, voices),
    encode: (samples) => encodeSamples(encoding, samples),
    sampleRate,
    isLimited: true,
    lease: {
      leave() {
        left += 1;
      },
    },
  });
  return {
    clock,
    engine,
    session,
    get sent() {
      return sent;
    },
    closes,
    get left() {
      return left;
    },
    async send(...messages) {
      for (const message of messages)
        session.text(typeof message === 'string' ? message : JSON.stringify(message));
      await settle();
    },
    isReading: () => isReading,
    ping: () => session.pinged?.(),
    spoken: () => engine.requests.map(({ text }) => text),
    kinds: () => [...kindsOf(sent), ...closes.map(([code]) => String(code))],
    of: (type) => sent.filter((each): each is Frame => !(each instanceof Uint8Array) && each.type === type),
    forget() {
      sent = [];
    },
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
