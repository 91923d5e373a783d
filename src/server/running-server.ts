import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { systemClock } from '#lib/clock.ts';
import { loadProtocols } from '#protocol/protocols.ts';
import { loadRules } from '#protocol/rules.ts';
import { type Application, type ApplicationOptions, createApplication } from './application.ts';
import { Capture } from './capture/capture.ts';
import { type Environment, StartError } from './environment.ts';
import { createKeys } from './keys.ts';
import { createLog } from './log.ts';
import { onUpgrade } from './on-upgrade.ts';
import { hostsOf } from './origin.ts';
import { replyText } from './reply.ts';
import { ServedRecordings } from './served/served-recordings.ts';
import { type StartedEngine, startEngine } from './speech/start-engine.ts';
import { LOCAL_CATALOGUE } from './speech/voices/voice-catalogue.ts';
import { openMemoryState } from './state/memory-state.ts';
import { refuseUnreadable } from './unreadable-requests.ts';
import { loadVendorServers } from './vendors.ts';

/** Parts that replace those of the environment. */
type Replaced = Partial<ApplicationOptions>;

/** The application of an environment, with an engine of its own unless one is given, to attach to an HTTP server. */
export async function openApplication(environment: Environment, replaced: Replaced = {}) {
  const { host, hosts, keys, redis, limits, captures, logLevel, root, relays } = environment;
  const { clock = systemClock, log = createLog(logLevel) } = replaced;
  // Packages that few servers need are loaded on demand.
  const loadMetrics = async () => (await import('./metrics/metrics.ts')).createMetrics();
  const metrics = replaced.metrics ?? (environment.metrics ? await loadMetrics() : null);
  const [vendors] = await Promise.all([loadVendorServers(), loadProtocols(), loadRules()]);
  const loadRedis = async (url: URL) => {
    const { openRedisState } = await import('./state/redis/redis-state.ts');
    return openRedisState({ url, log, ...(metrics && { watch: metrics.redis }) });
  };
  // State that cannot be used fails before the engine is loaded.
  const state = replaced.state ?? (redis ? await loadRedis(redis) : openMemoryState());
  let engine = replaced.engine;
  try {
    const started: StartedEngine = engine
      ? { engine, espeak: engine, catalogue: replaced.catalogue ?? LOCAL_CATALOGUE, warmUp: async () => {} }
      : await startEngine(environment.engine, log);
    engine = started.engine;
    const application = createApplication({
      vendors,
      clock,
      limits,
      keys: createKeys(keys),
      answersTo: hostsOf(host, hosts),
      root,
      relays,
      capture: captures ? new Capture(clock) : null,
      served: new ServedRecordings(null, !redis),
      espeak: started.espeak,
      ...replaced,
      metrics,
      log,
      state,
      engine,
      catalogue: started.catalogue,
    });
    const close = () => application.shutDown().then(() => started.engine.close());
    return { application, warmUp: started.warmUp, close };
  } catch (error) {
    // Threads would keep the process of a command that has failed.
    await engine?.close();
    await state.close();
    throw error;
  }
}

/** A server that listens on its own port. */
export interface RunningServer {
  /** Its origin, with `http:` and with `ws:`. */
  http: string;
  ws: string;
  application: Application;
  /** Ends all sessions, then the server and its engine. */
  stop(): Promise<void>;
}

/** Starts the server of an environment. Resolves when it serves, while its engine still warms up. @throws StartError */
export async function startServer(environment: Environment, replaced: Replaced = {}): Promise<RunningServer> {
  const { host, port } = environment;
  let application: Application | undefined;
  const server = createServer((request, response) => {
    if (application) application.handle(request, response);
    else replyStarting(request, response);
  });
  refuseUnreadable(server);
  onUpgrade(server, (request, socket, head) => {
    if (application) application.upgrade(request, socket, head);
    else socket.destroy();
  });
  // Listens before the engine starts, so that a taken port fails at once.
  await listen(server, host, port);
  const opening = openApplication(environment, replaced);
  const warming = opening.then(({ warmUp }) => warmUp());
  await warming.catch(async (error: unknown) => {
    // An open port or thread would keep the process of a command that has failed.
    server.close();
    server.closeAllConnections();
    await opening.then(({ close }) => close()).catch(() => {});
    throw error;
  });
  const opened = await opening;
  application = opened.application;
  const http = addressOf(server, host);
  return {
    http,
    ws: http.replace('http', 'ws'),
    application,
    async stop() {
      await opened.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Makes an early browser reload until the server is ready. */
function replyStarting(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Refresh', '1');
  response.setHeader('Retry-After', '1');
  response.setHeader('Cache-Control', 'no-store');
  replyText(request, response, 503, 'Voicewire is starting.');
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} on ${host} is taken. Stop what uses it, or choose another one: ${startAt(port === 65_535 ? 4173 : port + 1)}`,
      );
    case 'EACCES':
      return new StartError(
        `Port ${port} may not be used by this user. Choose one above 1023: ${startAt(4173)}`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST ${host} is no address of this machine. Use 127.0.0.1 or 0.0.0.0.`);
    default:
      return error;
  }
}

const startAt = (port: number): string => `PORT=${port} npm start, or npx voicewire --port ${port}`;

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : '';
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
