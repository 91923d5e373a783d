import { WebSocket } from 'ws';

/** How a client of one endpoint speaks turns, and what it sees of them. */
export interface Dialect {
  path: string;
  /** Sent once on every connection. */
  greeting: readonly object[];
  turn(number: number): readonly object[];
  /** The first frame of a turn: the server has begun it. */
  isBegin(frame: Record<string, unknown>): boolean;
  isEnd(frame: Record<string, unknown>): boolean;
  /** Close of a server that ends. */
  goingAway: number;
  /** Close of a server that ends before the session has begun. */
  turnedAway: number;
}

const TEXT = 'No turn is lost.';

export const KUGEL_STREAM: Dialect = {
  path: '/kugel/ws/tts/stream?api_key=local',
  greeting: [{ voice_id: 1071, language: 'en' }],
  turn: () => [{ text: TEXT, flush: true }],
  isBegin: (frame) => 'generation_started' in frame,
  isEnd: (frame) => 'session_closed' in frame,
  goingAway: 1012,
  turnedAway: 1013,
};

export const KUGEL_MULTI: Dialect = {
  path: '/kugel/ws/tts/multi?api_key=local',
  greeting: [],
  turn: (number) => [
    { context_id: `turn ${number}`, voice_settings: { voice_id: 1071 }, text: TEXT, flush: true },
    { context_id: `turn ${number}`, close_context: true },
  ],
  isBegin: (frame) => 'generation_started' in frame,
  isEnd: (frame) => 'context_closed' in frame,
  goingAway: 1012,
  turnedAway: 1013,
};

export const murmrWith = (api_key: string): Dialect => ({
  path: '/murmr/v1/realtime',
  greeting: [{ type: 'config', api_key, voice_description: 'calm', language: 'English' }],
  turn: () => [{ type: 'text', text: TEXT }, { type: 'flush' }],
  isBegin: (frame) => frame.type === 'audio',
  isEnd: (frame) => frame.type === 'done',
  goingAway: 1001,
  turnedAway: 1001,
});

/** A client that speaks one turn after another, and connects again whenever its connection ends. */
export interface TurnClient {
  readonly dialect: Dialect;
  /** Turns that ended as the protocol demands. */
  done(): number;
  /** Turns of which a frame came, but no end. */
  lost(): number;
  /** Codes with which servers closed connections that were open. */
  readonly closes: readonly number[];
  /** Messages of error frames. */
  readonly errors: readonly string[];
  /** Ends after the current turn. */
  stop(): Promise<void>;
}

/** Wait before the next try of a client that was turned away. */
const RETRY_MS = 50;

/** @param pauseMs time between two turns */
export function startTurnClient(base: string, dialect: Dialect, pauseMs: () => number): TurnClient {
  const closes: number[] = [];
  const errors: string[] = [];
  let done = 0;
  let lost = 0;
  let isStopping = false;

  /** Resolves when the connection has ended. */
  const connectOnce = () =>
    new Promise<void>((resolve) => {
      const socket = new WebSocket(`${base}${dialect.path}`, { perMessageDeflate: false });
      const send = (messages: readonly object[]) => {
        for (const message of messages) socket.send(JSON.stringify(message));
      };
      let number = 0;
      let isRunning = false;
      let isOpen = false;
      const speak = () => {
        if (socket.readyState !== WebSocket.OPEN) return;
        if (isStopping) {
          socket.close(1000);
          return;
        }
        number += 1;
        send(dialect.turn(number));
      };
      socket.on('error', () => {});
      socket.on('open', () => {
        isOpen = true;
        send(dialect.greeting);
        speak();
      });
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as Record<string, unknown>;
        if (frame.type === 'error' || 'error' in frame) errors.push(String(frame.error ?? frame.message));
        if (dialect.isBegin(frame)) isRunning = true;
        if (!dialect.isEnd(frame)) return;
        isRunning = false;
        done += 1;
        setTimeout(speak, pauseMs());
      });
      socket.on('close', (code) => {
        if (isRunning) lost += 1;
        if (isOpen && !isStopping) closes.push(code);
        resolve();
      });
    });

  const ended = (async () => {
    while (!isStopping) {
      await connectOnce();
      if (!isStopping) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  })();

  return {
    dialect,
    done: () => done,
    lost: () => lost,
    closes,
    errors,
    async stop() {
      isStopping = true;
      await ended;
    },
  };
}
