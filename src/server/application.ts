import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, within } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { asyncapiOf } from '#protocol/asyncapi.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { REFERENCE_PATH } from '#protocol/reference-messages.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { CAPTURE_PATH } from '#trace/capture-messages.ts';
import { SERVED_PATH } from '#trace/served-messages.ts';
import { breakOff } from './answers/break-off.ts';
import { onClose } from './answers/on-close.ts';
import { CallBodies } from './call-bodies.ts';
import type { Capture } from './capture/capture.ts';
import { createCaptureAccess } from './capture/capture-endpoint.ts';
import { CapturedCalls } from './capture/captured-calls.ts';
import type { SocketLimits } from './environment.ts';
import { createFaultPaths } from './faults/fault-paths.ts';
import { SECURITY_HEADERS } from './headers.ts';
import type { Keys } from './keys.ts';
import { faultFields, type Log } from './log.ts';
import { meteredTurns, watchEngine } from './metrics/engine-watch.ts';
import { NO_METER } from './metrics/meter.ts';
import type { Metrics } from './metrics/metrics.ts';
import { createStatus, meteredCalls } from './metrics/status.ts';
import type { Hosts } from './origin.ts';
import { createReferenceCalls } from './reference-calls.ts';
import type { RefusedUpgrade } from './refused-upgrade.ts';
import { createRelay } from './relay/relay.ts';
import type { RelayTargets } from './relay/targets.ts';
import { addressOf, type Handler, replyJson, replyText } from './reply.ts';
import { createRest, RETRY_AFTER } from './rest.ts';
import { createServedCalls } from './served/served-calls.ts';
import { servedEndpointAt } from './served/served-endpoints.ts';
import { createServedPages } from './served/served-pages.ts';
import type { ServedRecordings } from './served/served-recordings.ts';
import type { SocketEndpoint } from './socket-endpoint.ts';
import type { Engine } from './speech/engine.ts';
import type { VoiceCatalogue } from './speech/voices/voice-catalogue.ts';
import { takePlaces } from './state/client-places.ts';
import { createMemoryPlaces } from './state/memory-places.ts';
import type { SharedState } from './state/state.ts';
import { CLOSE_WITHIN_MS, createUpgrades, END_TURNS_WITHIN_MS } from './upgrade.ts';
import type { VendorServers } from './vendors.ts';
import { createVoiceSamples } from './voice-samples.ts';

export interface ApplicationOptions {
  vendors: VendorServers;
  engine: Engine;
  /** Speaks references; null for none. */
  espeak: Engine | null;
  /** The voices by number and handle. */
  catalogue: VoiceCatalogue;
  clock: Clock;
  log: Log;
  keys: Keys;
  answersTo: Hosts;
  /** Serves the page. Without it, requests for no endpoint go to `next`. */
  files?: Handler;
  /** Keeps what sessions and servers share. */
  state: SharedState;
  /** The vendor whose calls are answered without its prefix as well; null for none. */
  root: string | null;
  /** Path before the prefix of the root vendor, such as `/faults/latency=200`. */
  rootBehind?: string;
  /** The hosts of the relay. */
  relays: RelayTargets;
  /** Records the server's clients for its own pages; null records none. */
  capture: Capture | null;
  /** Answer clients in place of sessions. */
  served: ServedRecordings;
  /** Answers `/metrics`; null answers 404. */
  metrics: Metrics | null;
  /** The endpoint refuses further sockets in its vendor's way. */
  limits: SocketLimits;
}

/** The whole server, to attach to any HTTP server. */
export interface Application {
  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends all sessions and answers within 4.5 s, because the process ends within 5 s. Then nothing uses the engine, which keeps running. */
  shutDown(): Promise<void>;
}

export function createApplication(options: ApplicationOptions): Application {
  const {
    catalogue,
    clock,
    log,
    keys,
    answersTo,
    files,
    limits,
    root,
    rootBehind = '',
    state,
    relays,
    capture,
    served,
    metrics,
  } = options;
  const watch = watchEngine(options.engine, catalogue);
  const { engine } = watch;
  const { meter = NO_METER } = metrics ?? {};
  metrics?.observe({
    engine: watch,
    isStateUp: () => state.problem() === null,
    capturedBytes: () => capture?.keptBytes ?? 0,
  });
  const samples = createVoiceSamples(engine);
  const bodies = new CallBodies(clock);
  const ending = new AbortController();
  const draining = ending.signal;
  const notReady = async () =>
    draining.aborted ? 'the server is shutting down' : (state.problem() ?? (await watch.problem()));
  const shared = { engine, catalogue, samples, clock, log, meter, keys, limits, state, draining, notReady };
  const vendors = [...options.vendors].map(([name, { pathRoots, missingSockets = [], open }]) => {
    const restMeter = meter(`${name}-rest`);
    const restEngine = meteredTurns(engine, restMeter);
    const { sockets, rest } = open({ ...shared, restEngine });
    const calls = createRest({ ...rest, prefix: `/${name}`, bodies, log });
    return { name, pathRoots, sockets, missingSockets, rest, calls: meteredCalls(calls, restMeter) };
  });
  const rootVendor = vendors.find(({ name }) => name === root) ?? null;
  const sockets = vendors.flatMap((each) => each.sockets);
  const socketOf = (endpoint: Endpoint | undefined): SocketEndpoint | undefined =>
    sockets.find(({ captureAs }) => captureAs === endpoint?.id);
  const relay = createRelay({ bodies, targets: relays, socketOf, clock, log, meter: meter('relay') });
  const access = createCaptureAccess(capture, meter('capture'));
  /** Sockets of no vendor, and those that are not offered, by path. */
  const others = new Map<string, SocketEndpoint | RefusedUpgrade | null>([
    [CAPTURE_PATH, access.endpoint],
    ...vendors.flatMap(({ name, missingSockets, rest }) => {
      const [status, why] = rest.notOffered;
      return missingSockets.map((path) => [`/${name}${path}`, { status, why }] as const);
    }),
  ]);
  /** Handlers of calls by path prefix. */
  const hosts: readonly (readonly [prefix: string, Handler])[] = [
    ...vendors.map(({ name, calls }) => [`/${name}`, calls] as const),
    ['/relay/', relay.handle],
    [SERVED_PATH, createServedPages({ served, bodies, clock })],
    [REFERENCE_PATH, createReferenceCalls({ engine: options.espeak, bodies, ending: draining })],
  ];
  const servedCalls = createServedCalls({ served, bodies, clock, log });
  const hostOf = (url: URL): Handler | undefined =>
    served.placeAt(url) ? servedCalls : hosts.find(([prefix]) => isBelow(url.pathname, prefix))?.[1];
  const socketAt = ({ pathname }: URL): SocketEndpoint | undefined =>
    socketOf(ENDPOINTS.find((each) => readAddress(each, pathname)?.base === each.localPrefix));
  const endpointAt = (url: URL) =>
    servedEndpointAt(url, served, socketOf) ??
    socketAt(url) ??
    others.get(url.pathname) ??
    relay.endpointAt(url);
  const calls = capture && new CapturedCalls({ capture, clock, log, isPublic: (key) => keys.isShared(key) });
  const faults = createFaultPaths({
    clock,
    log,
    endpointAt,
    callsAt: hostOf,
    injectedIntoCall: (...fault) => calls?.injected(...fault),
  });
  const callsAt = (url: URL): Handler | undefined =>
    url.pathname.startsWith('/faults/') ? faults.handle : hostOf(url);
  const upgrades = createUpgrades({
    clock,
    log,
    answersTo,
    limits,
    state,
    keys,
    meter,
    capture,
    endpointAt(url) {
      const endpoint = endpointAt(url) ?? faults.endpointAt(url);
      if (!endpoint) capture?.stray('WebSocket', url.pathname);
      return endpoint;
    },
  });

  /** REST answers that are not sent yet. */
  const answers = new Set<ServerResponse>();
  /** Places of this process alone, not of all servers, because they bound its memory. */
  const places = createMemoryPlaces();

  /** Takes a place until the answer is sent. @returns why there is none; null with a place */
  async function takePlace(request: IncomingMessage, response: ServerResponse): Promise<string | null> {
    const taken = await takePlaces('calls', { request, key: null }, limits, places);
    if ('leave' in taken) {
      onClose(response, taken.leave);
      return null;
    }
    const { kind, limit } = taken.full;
    const ofWhom = kind === 'calls' ? '' : 'of one address ';
    return `The server answers at most ${limit} calls ${ofWhom}at a time. VOICEWIRE_SOCKETS raises that.`;
  }

  /** Resolves once all answers are sent, or broken off after the time that sockets get as well. */
  async function answered(): Promise<void> {
    const sent = Promise.all(
      [...answers].map((answer) => new Promise<void>((resolve) => onClose(answer, resolve))),
    );
    await within(clock, END_TURNS_WITHIN_MS, sent);
    for (const answer of answers) breakOff(answer, 'the server is shutting down');
    await within(clock, CLOSE_WITHIN_MS, sent);
  }

  const status = new Map(createStatus(notReady, metrics));
  for (const endpoint of ENDPOINTS)
    status.set(`/asyncapi/${endpoint.id}.json`, (request, response) =>
      replyJson(request, response, 200, asyncapiOf(endpoint, request.headers.host)),
    );
  const serve: Handler = async (request, response, url, next) => {
    if (url.pathname === CAPTURE_PATH) return access.handle(request, response, url, next);
    const host = callsAt(url);
    if (host) {
      // Before any wait, because the first part of a body may arrive meanwhile.
      calls?.begin(request, response, url);
      // One turn of the event loop reads the calls of all connections that are ready.
      await yieldIfLong();
    }
    if (host && draining.aborted) {
      response.setHeader('Connection', 'close');
      return replyText(request, response, 503, 'The server is shutting down.');
    }
    const excess = host ? await takePlace(request, response) : null;
    if (excess !== null) {
      response.setHeader('Retry-After', RETRY_AFTER['Retry-After']);
      return replyText(request, response, 503, excess);
    }
    if (host) {
      answers.add(response);
      onClose(response, () => answers.delete(response));
      // The call may name what another server has just created.
      await state.refresh();
      return host(request, response, url, next);
    }
    if (files) return files(request, response, url, next);
    capture?.stray(request.method ?? '', url.pathname);
    return next();
  };

  const route: Handler = (request, response, url, next) =>
    (status.get(url.pathname) ?? serve)(request, response, url, next);

  return {
    upgrade(request, socket, head) {
      mountRoot(request, rootVendor, rootBehind);
      upgrades.upgrade(request, socket, head);
    },
    async shutDown() {
      ending.abort(new Error('the server is shutting down'));
      served.close();
      await Promise.all([upgrades.shutDown(), answered()]);
      samples.close();
      await state.close();
    },
    handle(request, response, next = () => replyText(request, response, 404, 'Not found')) {
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
      response.setHeader('x-request-id', randomUUID());
      mountRoot(request, rootVendor, rootBehind);
      const url = addressOf(request);
      if (!url) return replyText(request, response, 400, 'The address of this request cannot be read.');
      if (!answersTo(request.headers.host)) {
        const hint =
          'This server does not answer to that name. Use localhost or the address of HOST, or list the name in VOICEWIRE_HOSTS.';
        return replyText(request, response, 421, hint);
      }
      if (files && !callsAt(url) && request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD');
        return replyText(request, response, 405, 'Method not allowed');
      }
      // A handler that throws or rejects ends its own request, never the process.
      new Promise<void>((resolve) => resolve(route(request, response, url, next))).catch((error: unknown) => {
        // A client that left in the middle of its request is no fault of the server.
        if (!request.errored) log.error(faultFields(error), 'request failed');
        if (response.headersSent) breakOff(response, 'the server failed');
        else replyText(request, response, 500, 'The server failed at this request.');
      });
    },
  };
}

/** Whether a path is this one, or one of its parts. @param prefix with or without a slash at its end */
const isBelow = (path: string, prefix: string): boolean =>
  prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix || path.startsWith(`${prefix}/`);

/**
 * Puts the root vendor's prefix before the address of a call without prefix, because some clients drop the path of their
 * base URL. A browser that asks for a page gets the page.
 */
function mountRoot(
  request: IncomingMessage,
  root: { name: string; pathRoots: readonly string[] } | null,
  behind: string,
): void {
  const { url = '', headers } = request;
  const [, first = ''] = /^\/([^/?]*)/.exec(url) ?? [];
  if (!root?.pathRoots.includes(first) || headers.accept?.includes('text/html')) return;
  request.url = `${behind}/${root.name}${url}`;
}
