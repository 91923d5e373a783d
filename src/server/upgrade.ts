import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock } from '#lib/clock.ts';
import type { Connection, Session } from './connection.ts';
import type { Log } from './log.ts';
import { isAllowedHost, isAllowedOrigin } from './origin.ts';
import { addressOf } from './reply.ts';
import { MAX_MESSAGE_BYTES, type ServedSocket, serveSocket } from './web-socket.ts';

const DEFAULT_MAX_SOCKETS = 500;
/** Turns that are being spoken when the server shuts down may take so long to end. */
const END_TURNS_WITHIN_MS = 3500;
/** After that, sockets that were told to close have so long to do it. */
const CLOSE_WITHIN_MS = 500;

/** What an endpoint is told of a new client. */
interface Client {
  connection: Connection;
  request: IncomingMessage;
  url: URL;
  /** Told in the handshake, in error frames and in logs. */
  requestId: string;
}

/** What is served at one path. */
export interface SocketEndpoint {
  /** Lines that the handshake answers besides `x-request-id`. */
  headers: readonly string[];
  /** Opens a session for a client, or refuses the client itself and returns null. */
  open(client: Client): Session | null;
  /** Refuses a client because the server has no room left, or because it is about to end. */
  turnAway(connection: Connection, why: 'full' | 'shutting down'): void;
  /** How sessions are closed that are still busy when the server has to end. */
  restart: { code: number; reason: string };
}

export interface Upgrades {
  /** Takes over a socket that asked for an upgrade; always answers. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends all sessions as the protocol asks, within four seconds. New clients are told to come back later. */
  shutDown(): Promise<void>;
}

interface Options {
  clock: Clock;
  log: Log;
  boundToLoopback: boolean;
  /** By path. */
  endpoints: Readonly<Record<string, SocketEndpoint>>;
  /** Sockets at a time, over all endpoints. */
  maxSockets?: number | undefined;
}

/** The WebSocket side of the server: who may connect, where to, and how many. */
export function createUpgrades({
  clock,
  log,
  boundToLoopback,
  endpoints,
  maxSockets = DEFAULT_MAX_SOCKETS,
}: Options): Upgrades {
  const handshakeHeaders = new WeakMap<IncomingMessage, readonly string[]>();
  const served = new Map<ServedSocket, SocketEndpoint>();
  let draining = false;
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // Audio in base64 gains little, and the vendor does without too (`facts 2.4`).
    perMessageDeflate: false,
  });
  webSockets.on('headers', (headers, request) => {
    headers.push(...(handshakeHeaders.get(request) ?? []));
  });

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const url = addressOf(request);
      const endpoint = url && Object.hasOwn(endpoints, url.pathname) ? endpoints[url.pathname] : undefined;
      const { host, origin } = request.headers;
      if (!isAllowedHost(host, boundToLoopback)) return refuseUpgrade(socket, 403, 'unknown Host');
      if (!isAllowedOrigin(origin, host)) return refuseUpgrade(socket, 403, 'foreign Origin');
      if (!url || !endpoint) return refuseUpgrade(socket, 404, 'no endpoint has this path');

      const requestId = randomUUID();
      handshakeHeaders.set(request, [`x-request-id: ${requestId}`, ...endpoint.headers]);
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const tagged = withFields(log, { requestId, path: url.pathname });
        tagged.info({}, 'socket opened');
        const client = serveSocket(
          webSocket,
          (connection) => {
            const why = draining ? 'shutting down' : served.size >= maxSockets && 'full';
            if (!why) return endpoint.open({ connection, request, url, requestId });
            endpoint.turnAway(connection, why);
            return null;
          },
          { clock, log: tagged },
        );
        served.set(client, endpoint);
        void client.closed.then(() => served.delete(client));
      });
    },

    async shutDown() {
      draining = true;
      for (const client of served.keys()) client.goingAway();
      await emptyWithin(END_TURNS_WITHIN_MS);
      for (const [client, { restart }] of served) client.close(restart.code, restart.reason);
      await emptyWithin(CLOSE_WITHIN_MS);
      for (const client of served.keys()) client.terminate();
      webSockets.close();
    },
  };

  async function emptyWithin(timeMs: number): Promise<void> {
    let stopTimer = () => {};
    const timeOut = new Promise<void>((resolve) => {
      stopTimer = clock.after(timeMs, resolve);
    });
    await Promise.race([Promise.all([...served.keys()].map((client) => client.closed)), timeOut]);
    stopTimer();
  }
}

function refuseUpgrade(socket: Duplex, status: number, why: string): void {
  const body = `${why}\n`;
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** A log whose every line also has these fields. */
const withFields = (log: Log, fields: Readonly<Record<string, unknown>>): Log => ({
  info: (more, message) => log.info({ ...fields, ...more }, message),
  warn: (more, message) => log.warn({ ...fields, ...more }, message),
  error: (more, message) => log.error({ ...fields, ...more }, message),
});
