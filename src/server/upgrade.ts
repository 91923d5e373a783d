import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock } from '#lib/clock.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import type { Capture } from './capture/capture.ts';
import type { CapturedConnection } from './capture/captured-connection.ts';
import { tapped } from './capture/tap.ts';
import type { Connection, Session } from './connection.ts';
import { type Keys, keyIn } from './keys.ts';
import type { Log } from './log.ts';
import { type Hosts, isAllowedOrigin, isOwnPage } from './origin.ts';
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

/** An answer to an upgrade request other than a WebSocket. */
export interface RefusedUpgrade {
  status: number;
  /** For people, one line. */
  why: string;
}

/** The endpoint at one path. */
export interface SocketEndpoint {
  /** Its name in captures: that of the registry, or empty where frames are only listed. Null: never captured. */
  captureAs: EndpointId | '' | null;
  /** Handshake headers besides `x-request-id`. */
  headers: readonly string[];
  /** Why this request may not upgrade; null where it may. */
  refusal?(asked: Pick<Client, 'request' | 'url'>): RefusedUpgrade | null;
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
  /** The endpoint of an address, or why it has none; null for an unknown path. */
  endpointAt: (url: URL) => SocketEndpoint | RefusedUpgrade | null;
  /** Records the connections of all clients but the server's own pages; null records none. */
  capture: Capture | null;
  keys: Keys;
  /** Sockets at a time, over all endpoints. */
  maxSockets?: number | undefined;
}

/** Accepts or refuses WebSocket upgrades, up to a number of sockets. */
export function createUpgrades({
  clock,
  log,
  answersTo,
  endpointAt,
  capture,
  keys,
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
      const endpoint = url && endpointAt(url);
      const { host, origin } = request.headers;
      if (!answersTo(host)) return refuseUpgrade(socket, 421, 'unknown Host');
      if (!isAllowedOrigin(origin, host)) return refuseUpgrade(socket, 403, 'foreign Origin');
      if (!url || !endpoint) return refuseUpgrade(socket, 404, 'no endpoint has this path');
      const refusal = 'status' in endpoint ? endpoint : endpoint.refusal?.({ request, url });
      if (refusal) return refuseUpgrade(socket, refusal.status, refusal.why);
      if ('status' in endpoint) return;

      const requestId = randomUUID();
      handshakeHeaders.set(request, [`x-request-id: ${requestId}`, ...endpoint.headers]);
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        const tagged = log.child({ requestId, path: url.pathname });
        tagged.info({}, 'socket opened');
        const record = recordOf(endpoint, { request, url, requestId });
        const open = (connection: Connection): Session | null => {
          const why = draining ? 'shutting down' : !free && 'full';
          if (!why) return endpoint.open({ connection, request, url, requestId });
          endpoint.turnAway(connection, why);
          return null;
        };
        const free = takePlaces(request, endpoint.keyOf?.({ request, url }) ?? null);
        const client = serveSocket(webSocket, record ? tapped(open, record) : open, {
          clock,
          log: tagged,
          total,
        });
        served.set(client, endpoint);
        void client.closed.then(({ code, reason, asked }) => {
          record?.closed(code, reason, asked);
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

  function recordOf(
    { captureAs }: SocketEndpoint,
    { request, url, requestId }: Omit<Client, 'connection'>,
  ): CapturedConnection | null {
    const { headers } = request;
    if (!capture || captureAs === null || isOwnPage(headers)) return null;
    return capture.begin({
      id: requestId,
      endpoint: captureAs,
      address: `ws://${headers.host}${url.pathname}${url.search}`,
      program: headers['user-agent'] ?? '',
      secrets: [keyIn({ url, headers })],
      isPublic: (key) => keys.isShared(key),
    });
  }

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
