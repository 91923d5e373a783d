import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type Clock, within } from '#lib/clock.ts';
import { addAll } from '#lib/collections/arrays.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { PRIVATE_PROTOCOL } from '#protocol/core/private-protocol.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { Capture } from './capture/capture.ts';
import type { CapturedConnection, RefusalText } from './capture/captured-connection.ts';
import { headerSecrets } from './capture/secret-filter.ts';
import { sentTo, tapped } from './capture/tap.ts';
import { GOING_AWAY_CLOSE } from './connection.ts';
import type { SocketLimits } from './environment.ts';
import { type Keys, takePrivateKey } from './keys.ts';
import { faultFields, type Log } from './log.ts';
import type { Meter } from './metrics/meter.ts';
import { type Hosts, isAllowedOrigin, isOwnPage, remoteOf } from './origin.ts';
import { type RefusedUpgrade, refusedUpgrade, refuseUpgrade } from './refused-upgrade.ts';
import { addressOf } from './reply.ts';
import { Refused } from './rest.ts';
import type {
  AcceptedUpgrade,
  AskedUpgrade,
  SocketEnding,
  SocketEndpoint,
  TurnedAway,
} from './socket-endpoint.ts';
import { LoopDebt } from './sockets/loop-debt.ts';
import { TotalOutput } from './sockets/unread-output.ts';
import { CLOSE_POLICY, CLOSE_TRY_AGAIN, type ServedSocket, serveSocket } from './sockets/web-socket.ts';
import { type HeldPlaces, takePlaces } from './state/client-places.ts';
import { FairMemory } from './state/shares.ts';
import { type SharedState, StateUnavailable, type WantedPlace } from './state/state.ts';

/** Messages of one connection that are handled before a shutdown. */
const ROUNDS_OF_REST = 500;
/** Time for running turns to end after that. */
export const END_TURNS_WITHIN_MS = 3500;
/** Time for sockets to close after that. */
export const CLOSE_WITHIN_MS = 500;
/** Bytes of a client before its handshake is answered. */
const MAX_EARLY_BYTES = 64 * 1024;
/** Chunks in which a message may arrive: of a message of the largest size, 128 bytes each. */
const MAX_CHUNKS = 8192;
/** Memory of all messages that are not complete. */
const MAX_UNFINISHED_BYTES = 24 * 1024 * 1024;
/** A socket without messages for this long gives its place to a new client. Longer than a turn waits for speech. */
const GIVES_PLACE_AFTER_MS = 30_000;

/** A handshake with its connection. */
interface Arrived extends Pick<AskedUpgrade, 'request' | 'url'> {
  socket: Duplex;
  head: Buffer;
}

export interface Upgrades {
  /** Answers an upgrade request, always. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends all sessions as their protocol demands, within 4.5 s. Refuses new clients. */
  shutDown(): Promise<void>;
}

const NO_PLACES: HeldPlaces = { wanted: [], leave: () => {} };

interface Options {
  clock: Clock;
  log: Log;
  answersTo: Hosts;
  /** The endpoint of an address, or why it has none; null for an unknown path. */
  endpointAt: (url: URL) => SocketEndpoint | RefusedUpgrade | null;
  /** Records the connections of all clients but the server's own pages; null records none. */
  capture: Capture | null;
  keys: Keys;
  meter: Meter;
  limits: SocketLimits;
  state: Pick<SharedState, 'places' | 'refresh'>;
}

/** Accepts or refuses WebSocket upgrades, up to a number of sockets. */
export function createUpgrades({
  clock,
  log,
  answersTo,
  endpointAt,
  capture,
  keys,
  meter,
  limits,
  state,
}: Options): Upgrades {
  const accepted = new WeakMap<
    IncomingMessage,
    AcceptedUpgrade & Pick<AskedUpgrade, 'requestId'> & { privateKey: string | null | undefined }
  >();
  /** Handshakes without an answer. */
  const pending = new Set<AbortController>();
  const served = new Map<
    ServedSocket,
    Pick<SocketEndpoint, 'restart' | 'mayIdle'> & { places: HeldPlaces }
  >();
  const total = new TotalOutput();
  const debtors = new Set<LoopDebt>();
  const unfinished = new FairMemory(MAX_UNFINISHED_BYTES);
  let draining = false;
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // Base64 audio gains little, and the vendor does not compress either (wire-open-3).
    perMessageDeflate: false,
    // Each chunk of an unfinished message takes memory of its own, however short it is.
    maxBufferedChunks: MAX_CHUNKS,
    // Sessions' sockets answer pings themselves, within the limit of unread output.
    autoPong: false,
    // One message of a connection per round of the event loop, so that a flood delays nobody else.
    allowSynchronousEvents: false,
    // `ws` reads on after invalid UTF-8 if more has arrived, and throws, so sessions' sockets check it themselves.
    skipUTF8Validation: true,
    handleProtocols: (offered, request) => accepted.get(request)?.protocol ?? [...offered][0] ?? false,
  });
  webSockets.on('headers', (lines, request) => {
    const { headers = [], requestId = '', privateKey } = accepted.get(request) ?? {};
    // A browser ends a connection where none of the offered ones is selected.
    if (privateKey !== undefined && !lines.some(isProtocol))
      lines.push(`Sec-WebSocket-Protocol: ${PRIVATE_PROTOCOL}`);
    if (!headers.some((line) => /^x-request-id:/i.test(line))) lines.push(`x-request-id: ${requestId}`);
    addAll(lines, headers);
  });

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const url = addressOf(request);
      const endpoint = url && endpointAt(url);
      const { host, origin } = request.headers;
      const refuse = (status: number, why: string) => {
        meter('other').refused(`${status}`);
        refuseUpgrade(request, socket, { status, why });
      };
      if (!answersTo(host)) return refuse(421, 'unknown Host');
      if (!isAllowedOrigin(origin, host)) return refuse(403, 'foreign Origin');
      if (!url || !endpoint) return refuse(404, 'no endpoint has this path');
      if ('status' in endpoint) return refuseUpgrade(request, socket, endpoint);
      void answer(endpoint, { request, url, socket, head });
    },

    async shutDown() {
      draining = true;
      for (const handshake of pending) handshake.abort();
      // Messages that have arrived are handled first, one a round.
      for (let round = 0; round < ROUNDS_OF_REST; round += 1) await new Promise(setImmediate);
      for (const client of served.keys()) client.goingAway();
      await emptyWithin(END_TURNS_WITHIN_MS);
      for (const [client, { restart }] of served) client.close(restart.code, restart.reason);
      await emptyWithin(CLOSE_WITHIN_MS);
      for (const client of served.keys()) client.terminate();
      // A session whose client has left stops its speech.
      await emptyWithin(CLOSE_WITHIN_MS);
      webSockets.close();
    },
  };

  async function answer(endpoint: SocketEndpoint, { request, url, socket, head }: Arrived): Promise<void> {
    const requestId = randomUUID();
    const { captureAs } = endpoint;
    const privateKey = takePrivateKey(request.headers, endpointNamed(captureAs) ?? undefined);
    const tagged = log.child({ requestId, path: url.pathname });
    const record = recordOf(endpoint, { request, url, requestId }, privateKey ?? null);
    const asked: AskedUpgrade = {
      request,
      url,
      requestId,
      injected(what, mark) {
        record?.happened('fault', { what });
        capture?.injected(what, mark);
      },
    };
    const handshake = new AbortController();
    const stopReading = readDuring(socket, head, () => handshake.abort());
    pending.add(handshake);
    const named = endpoint.keyOf?.(asked) ?? '';
    // The sockets of a key that everybody shares are not counted together.
    const key = named === '' || keys.isShared(named) ? null : named;
    const places = draining ? 'shutting down' : await placesFor(request, key);
    if (typeof places === 'string') endpoint.meter.refused(places);
    const held = typeof places === 'string' ? NO_PLACES : places;
    const admission =
      typeof places === 'string'
        ? turnedAway(endpoint, places)
        : await admit(endpoint, asked, handshake.signal);
    pending.delete(handshake);
    const begun = stopReading();
    const cancel = () => {
      handshake.abort();
      held.leave();
    };
    const recordEnd = (why = '', answer?: RefusalText) =>
      record?.closed(CLOSE_CODES.abnormal, why, false, answer);

    if ('status' in admission) {
      endpoint.meter.refused(`${admission.status}`);
      cancel();
      const passed = (answer: RefusalText) => recordEnd(`refused with ${admission.status}`, answer);
      return refuseUpgrade(request, socket, admission, passed);
    }
    if (handshake.signal.aborted) {
      cancel();
      recordEnd();
      return refuseUpgrade(request, socket, { status: 503, why: 'the server is shutting down' });
    }
    accepted.set(request, { ...admission, requestId, privateKey });
    let isOpen = false;
    webSockets.handleUpgrade(request, socket, begun, (webSocket) => {
      isOpen = true;
      tagged.info({}, 'socket opened');
      const { open } = admission;
      const { restart, mayIdle = false } = endpoint;
      const client = serveSocket(webSocket, record ? tapped(open, record) : open, {
        clock,
        log: tagged,
        total,
        debt: new LoopDebt(debtors, remoteOf(request)),
        mayIdle,
        ...(record && { sent: sentTo(record) }),
        cut: () => (socket instanceof Socket ? socket.resetAndDestroy() : socket.destroy()),
        // A paused socket would not see that the client leaves.
        ignore: () => socket.removeAllListeners('data').resume(),
      });
      served.set(client, { restart, mayIdle, places: held });
      const message = unfinished.hold([remoteOf(request)], () => {
        client.close(
          CLOSE_TRY_AGAIN,
          `unfinished messages of all clients take ${MAX_UNFINISHED_BYTES / 2 ** 20} MiB`,
        );
        // The rest of its message would still be kept.
        setImmediate(client.terminate);
      });
      let bytes = 0;
      socket.on('data', (part: Buffer) => {
        // Pings are no part of a message.
        bytes = Math.min(bytes + part.length, MAX_MESSAGE_BYTES);
        message.resize(bytes);
      });
      webSocket.on('message', () => {
        bytes = 0;
        message.resize(0);
      });
      const ended = endpoint.meter.session();
      void client.closed.then(({ code, reason, asked }) => {
        record?.closed(code, reason, asked);
        served.delete(client);
        ended();
        held.leave();
        message.release();
      });
    });
    if (isOpen) return;
    // The request was no WebSocket handshake, and has its answer.
    cancel();
    recordEnd();
  }

  async function admit(
    endpoint: SocketEndpoint,
    asked: AskedUpgrade,
    left: AbortSignal,
  ): Promise<AcceptedUpgrade | RefusedUpgrade> {
    try {
      return await endpoint.admit(asked, left);
    } catch (error) {
      if (error instanceof Refused) return refusedUpgrade(error);
      log.error(faultFields(error), 'handshake failed');
      return { status: 500, why: 'the server failed at this request' };
    }
  }

  function recordOf(
    { captureAs }: SocketEndpoint,
    { request, url, requestId }: Omit<AskedUpgrade, 'injected'>,
    privateKey: string | null,
  ): CapturedConnection | null {
    const { headers } = request;
    if (!capture || captureAs === null || isOwnPage(headers)) return null;
    return capture.begin({
      id: requestId,
      peer: [remoteOf(request)],
      endpoint: captureAs,
      address: `ws://${headers.host}${url.pathname}${url.search}`,
      program: headers['user-agent'] ?? '',
      secrets: [...headerSecrets(headers), ...(privateKey === null ? [] : [privateKey])],
      isPublic: (key) => keys.isShared(key),
    });
  }

  /** Takes a place of the address, of the key and of all, or says why there is none. */
  async function placesFor(request: IncomingMessage, key: string | null): Promise<HeldPlaces | TurnedAway> {
    try {
      const taking = takePlaces('sockets', { request, key }, limits, state.places, closeIdle);
      // The session may name what another server has just created.
      const [places] = await Promise.all([taking, state.refresh()]);
      return 'leave' in places ? places : 'full';
    } catch (error) {
      if (error instanceof StateUnavailable) return 'unreachable';
      throw error;
    }
  }

  /** Closes the socket with such a place that is idle for longest, and frees its places. Returns whether there is one. */
  function closeIdle({ kind, name }: WantedPlace): boolean {
    let [idle, idleMs]: [ServedSocket | null, number] = [null, GIVES_PLACE_AFTER_MS];
    for (const [client, { places, mayIdle }] of served) {
      const isHolder = !mayIdle && places.wanted.some((each) => each.kind === kind && each.name === name);
      if (isHolder && client.idleMs >= idleMs) [idle, idleMs] = [client, client.idleMs];
    }
    if (!idle) return false;
    // A client that does not answer the close must not keep its places.
    served.get(idle)?.places.leave();
    idle.close(CLOSE_POLICY, `no message for ${GIVES_PLACE_AFTER_MS / 1000} s, and the server is full`);
    return true;
  }

  function emptyWithin(timeMs: number): Promise<unknown> {
    const ends = [...served.keys()].map(({ closed }) => closed);
    return within(clock, timeMs, Promise.all(ends));
  }
}

function turnedAway({ turnedAway: endings }: SocketEndpoint, why: TurnedAway): AcceptedUpgrade {
  const { frame, code, reason }: SocketEnding = endings[why] ?? GOING_AWAY_CLOSE;
  return {
    headers: [],
    open(connection) {
      if (frame) connection.send(JSON.stringify(frame));
      connection.close(code, reason);
      return null;
    },
  };
}

const isProtocol = (line: string): boolean => /^sec-websocket-protocol:/i.test(line);

/**
 * Reads a socket before its handshake is answered, so that a client that leaves is noticed.
 * @returns the function that stops it and returns everything read
 */
function readDuring(socket: Duplex, head: Buffer, left: () => void): () => Buffer {
  const parts = [head];
  let bytes = head.length;
  const keep = (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
    // A client has nothing to send before the answer.
    if (bytes > MAX_EARLY_BYTES) socket.destroy();
  };
  socket.on('data', keep).once('end', left).once('close', left);
  return () => {
    socket.off('data', keep).off('end', left).off('close', left);
    return Buffer.concat(parts);
  };
}
