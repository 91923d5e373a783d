import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock } from '#lib/clock.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import type { Connection, Session } from './connection.ts';
import type { Log } from './log.ts';
import { type Hosts, isAllowedOrigin } from './origin.ts';
import { Places } from './places.ts';
import { addressOf } from './reply.ts';
import { TotalOutput } from './unread-output.ts';
import { type ServedSocket, serveSocket } from './web-socket.ts';

const DEFAULT_MAX_SOCKETS = 500;
/** Share of the sockets that one address or one key may hold, so that nobody keeps all others out. */
const SHARE_OF_ONE = 0.8;
/** Messages of one connection that are handled before a shutdown. */
const ROUNDS_OF_REST = 500;
/** Time for running turns to end after that. */
export const END_TURNS_WITHIN_MS = 3500;
/** Time for sockets to close after that. */
const CLOSE_WITHIN_MS = 500;

interface Client {
  connection: Connection;
  request: IncomingMessage;
  url: URL;
  /** Sent in the handshake and in error frames, and logged. */
  requestId: string;
}

/** The endpoint at one path. */
export interface SocketEndpoint {
  /** Handshake headers besides `x-request-id`. */
  headers: readonly string[];
  /** Opens a session, or refuses the client and returns null. */
  open(client: Client): Session | null;
  /** The key of a handshake whose sockets are counted; null for a key that everybody shares. */
  keyOf?(client: Pick<Client, 'request' | 'url'>): string | null;
  /** Refuses a client of a full or ending server. */
  turnAway(connection: Connection, why: 'full' | 'shutting down'): void;
  /** Close of sessions that are still busy when the server ends. */
  restart: { code: number; reason: string };
}

export interface Upgrades {
  /** Answers an upgrade request, always. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends all sessions as their protocol demands, within four seconds. Refuses new clients. */
  shutDown(): Promise<void>;
}

interface Options {
  clock: Clock;
  log: Log;
  answersTo: Hosts;
  endpoints: Readonly<Record<string, SocketEndpoint>>;
  /** Sockets at a time, over all endpoints. */
  maxSockets?: number | undefined;
}

/** Accepts or refuses WebSocket upgrades, up to a number of sockets. */
export function createUpgrades({
  clock,
  log,
  answersTo,
  endpoints,
  maxSockets = DEFAULT_MAX_SOCKETS,
}: Options): Upgrades {
  const handshakeHeaders = new WeakMap<IncomingMessage, readonly string[]>();
  const served = new Map<ServedSocket, SocketEndpoint>();
  const total = new TotalOutput();
  const all = new Places(maxSockets);
  const byAddress = new Places(Math.ceil(maxSockets * SHARE_OF_ONE));
  const byKey = new Places(Math.ceil(maxSockets * SHARE_OF_ONE));
  let draining = false;
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // Base64 audio gains little, and the vendor does not compress either (`facts 2.4`).
    perMessageDeflate: false,
    // Sessions' sockets answer pings themselves, within the limit of unread output.
    autoPong: false,
    // One message of a connection per round of the event loop, so that a flood delays nobody else.
    allowSynchronousEvents: false,
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
      if (!answersTo(host)) return refuseUpgrade(socket, 421, 'unknown Host');
      if (!isAllowedOrigin(origin, host)) return refuseUpgrade(socket, 403, 'foreign Origin');
      if (!url || !endpoint) return refuseUpgrade(socket, 404, 'no endpoint has this path');

      const requestId = randomUUID();
      handshakeHeaders.set(request, [`x-request-id: ${requestId}`, ...endpoint.headers]);
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const tagged = log.child({ requestId, path: url.pathname });
        tagged.info({}, 'socket opened');
        const free = takePlaces(request, endpoint.keyOf?.({ request, url }) ?? null);
        const client = serveSocket(
          webSocket,
          (connection) => {
            const why = draining ? 'shutting down' : !free && 'full';
            if (!why) return endpoint.open({ connection, request, url, requestId });
            endpoint.turnAway(connection, why);
            return null;
          },
          { clock, log: tagged, total },
        );
        served.set(client, endpoint);
        void client.closed.then(() => {
          served.delete(client);
          free?.();
        });
      });
    },

    async shutDown() {
      draining = true;
      // Messages that have arrived are handled first, one a round.
      for (let round = 0; round < ROUNDS_OF_REST; round += 1) await new Promise(setImmediate);
      for (const client of served.keys()) client.goingAway();
      await emptyWithin(END_TURNS_WITHIN_MS);
      for (const [client, { restart }] of served) client.close(restart.code, restart.reason);
      await emptyWithin(CLOSE_WITHIN_MS);
      for (const client of served.keys()) client.terminate();
      webSockets.close();
    },
  };

  /** Takes a place of the address, of the key and of the server. Null, and nothing taken, where one is missing. */
  function takePlaces(request: IncomingMessage, key: string | null): (() => void) | null {
    const taken = [
      byAddress.take(request.socket.remoteAddress ?? ''),
      key === null ? () => {} : byKey.take(key),
      all.take(''),
    ];
    const free = () => {
      for (const each of taken) each?.();
    };
    if (!taken.includes(null)) return free;
    free();
    return null;
  }

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
      `x-request-id: ${randomUUID()}`,
      '',
      body,
    ].join('\r\n'),
  );
}
