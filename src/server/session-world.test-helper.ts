import { expect } from 'vitest';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { describedMessages, type Side } from '#protocol/described-messages.test-helper.ts';
import type { Connection, Session } from './connection.ts';
import { createFakeClock, type FakeClock, settle } from './fake-clock.test-helper.ts';
import { type Frame, kindsOf } from './socket-client.test-helper.ts';
import { testConnection } from './test-connection.test-helper.ts';
import { createTestEngine, type TestEngine } from './test-engine.test-helper.ts';

/** The id of every connection of a test. */
export const REQUEST_ID = 'a1b2c3d4-0000-4000-8000-000000000000';

/** A client at the other end of a session. It sees each message as it leaves. */
export interface WorldClient {
  receives(message: string | Uint8Array): void;
  closes(code: number): void;
}

/** The part of a world that others may share: connections to one server, or the clock of a linted wire. */
export interface Shared {
  beside?: Pick<SessionWorld, 'clock' | 'engine'> | undefined;
  client?: (WorldClient & { readonly clock?: FakeClock }) | undefined;
}

/** A session on a fake clock, all that it works with, and what it did. `Sent` is `Frame` where no bytes are sent. */
export interface SessionWorld<S extends Session = Session, Sent = Frame> {
  session: S;
  clock: FakeClock;
  engine: TestEngine;
  /** Sent, in order: text messages as objects. */
  sent: Sent[];
  closes: [code: number, reason: string][];
  /** Whether the session reads what the client sends. */
  isReading(): boolean;
  /** Sends messages, objects as JSON, and lets what they set off happen. */
  send(...messages: (object | string)[]): Promise<void>;
  /** Texts of the engine's requests. */
  spoken(): string[];
  /** Types of frames in order, runs of audio as one, then the closes. */
  kinds(): string[];
  /** Text frames of a type, of a context where one is named. */
  of(type: string, context?: string): Frame[];
  /** From now on the client reads nothing, until the returned function is called. */
  blockClient(): () => void;
}

export interface WorldParts {
  clock: FakeClock;
  engine: TestEngine;
}

export const worldParts = ({ beside, client }: Shared): WorldParts => ({
  clock: beside?.clock ?? client?.clock ?? createFakeClock(),
  engine: beside?.engine ?? createTestEngine(),
});

/** A message that no client of the endpoint sends. */
export const nonsense = (message: object) => ({ nonsense: message });

/** Fails the test where no description of this side's messages has this one. */
export function expectDescribed(endpoint: EndpointId, side: Side, message: string | Uint8Array): void {
  if (!describedMessages(endpoint)[side](message))
    expect.soft(message, `expected a described message of the ${side} of ${endpoint}`).toBeNull();
}

/** The text of a client's message, which is described unless it is {@link nonsense}. Texts stay as they are. */
export function clientText(endpoint: EndpointId, message: object | string): string {
  if (typeof message === 'string') return message;
  if ('nonsense' in message) return JSON.stringify(message.nonsense);
  const text = JSON.stringify(message);
  expectDescribed(endpoint, 'client', text);
  return text;
}

export function openWorld<S extends Session, Sent = Frame>(
  endpoint: EndpointId,
  { clock, engine }: WorldParts,
  client: WorldClient | undefined,
  open: (connection: Connection) => S,
): SessionWorld<S, Sent> {
  const sent: (Frame | Uint8Array)[] = [];
  const closes: [number, string][] = [];
  let isReading = true;
  let drained = Promise.resolve();
  const session = open(
    testConnection(clock, {
      send(message) {
        expectDescribed(endpoint, 'server', message);
        sent.push(typeof message === 'string' ? (JSON.parse(message) as Frame) : message);
        client?.receives(message);
      },
      close(code, reason) {
        closes.push([code, reason]);
        client?.closes(code);
      },
      drained: () => drained,
      pause: () => {
        isReading = false;
      },
      resume: () => {
        isReading = true;
      },
    }),
  );
  return {
    session,
    clock,
    engine,
    sent: sent as Sent[],
    closes,
    isReading: () => isReading,
    async send(...messages) {
      for (const message of messages) session.text(clientText(endpoint, message));
      await settle();
    },
    spoken: () => engine.requests.map(({ text }) => text),
    kinds: () => [...kindsOf(sent), ...closes.map(([code]) => String(code))],
    of: (type, context) =>
      sent.filter(
        (each): each is Frame =>
          !(each instanceof Uint8Array) &&
          each.type === type &&
          (context === undefined || each.context_id === context),
      ),
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
