import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '#lib/clock.ts';
import { type Application, createApplication } from './application.ts';
import { Capture } from './capture/capture.ts';
import { openDataFile } from './data-file.ts';
import { readEnvironment, StartError } from './environment.ts';
import { createKeys } from './keys.ts';
import { createLog, faultFields } from './log.ts';
import { onUpgrade } from './on-upgrade.ts';
import { hostsOf, isLoopbackHost } from './origin.ts';
import { replyText } from './reply.ts';
import type { Engine } from './speech/engine.ts';
import { createEspeakEngine, EngineMissingError } from './speech/espeak/espeak-engine.ts';
import { warmUp } from './speech/warm-up.ts';
import { staticFiles } from './static-files.ts';

/** Directory of the built page; the only argument overrides it. */
const PAGE_DIRECTORY = process.argv[2] ?? fileURLToPath(new URL('../../dist', import.meta.url));

/** The contract allows five seconds. Whatever still runs then is cut off. */
const SHUT_DOWN_WITHIN_MS = 4800;

async function main(): Promise<void> {
  const { host, port, logLevel, keys, hosts, connect, root, captures, relays, dataPath } = readEnvironment(
    process.env,
  );
  if (!existsSync(join(PAGE_DIRECTORY, 'index.html'))) {
    throw new StartError('The page is not built yet. Use npm start, which builds it first.');
  }
  const log = createLog(logLevel);
  const data = openDataFile(dataPath);

  // Listens before the engine warms up, so that a taken port fails at once.
  let engine: Engine | undefined;
  let application: Application | undefined;
  const server = createServer((request, response) => {
    if (application) application.handle(request, response);
    else replyStarting(request, response);
  });
  onUpgrade(server, (request, socket, head) => {
    if (application) application.upgrade(request, socket, head);
    else socket.destroy();
  });
  // Under npm, Ctrl-C arrives twice: from the terminal and from npm.
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    // No client is connected before the engine is warm.
    if (application && engine) void shutDown(server, application, engine);
    else process.exit(0);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  await listen(server, host, port);

  engine = await createEspeakEngine();
  await warmUp(engine);
  application = createApplication({
    engine,
    clock: systemClock,
    log,
    keys: createKeys(keys),
    data,
    answersTo: hostsOf(host, hosts),
    root,
    capture: captures ? new Capture(systemClock) : null,
    relays,
    files: staticFiles(PAGE_DIRECTORY, connect),
  });

  // Every session and request handles its own faults. One that escapes them must not end the sessions of everybody else.
  process.on('uncaughtException', (error: unknown) => {
    log.error(faultFields(error), 'uncaught fault');
  });

  if (!isLoopbackHost(host)) process.stderr.write(`${reachNotice(host, keys.only)}\n`);
  process.stdout.write(`Voicewire is ready at ${addressOf(server, host)}\n`);
}

/** Names the machines that can use a server that is not bound to loopback. */
const reachNotice = (host: string, hasOwnKeys: boolean): string =>
  hasOwnKeys
    ? `Every machine that reaches ${host} can connect; only the keys of VOICEWIRE_KEYS are accepted.`
    : `Every machine that reaches ${host} can use this server with the key "local". Set VOICEWIRE_KEYS=only:KEY to change that.`;

/** Makes an early browser reload until the server is ready. */
function replyStarting(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Refresh', '1');
  response.setHeader('Retry-After', '1');
  response.setHeader('Cache-Control', 'no-store');
  replyText(request, response, 503, 'Voicewire is starting.');
}

async function shutDown(server: Server, application: Application, engine: Engine): Promise<void> {
  systemClock.after(SHUT_DOWN_WITHIN_MS, () => process.exit(0));
  await application.shutDown();
  server.close();
  server.closeAllConnections();
  await engine.close();
  process.exit(0);
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
        `Port ${port} on ${host} is taken. Stop what uses it, or choose another one: PORT=${port === 65_535 ? 4173 : port + 1} npm start`,
      );
    case 'EACCES':
      return new StartError(
        `Port ${port} may not be used by this user. Choose one above 1023: PORT=4173 npm start`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`HOST ${host} is no address of this machine. Use 127.0.0.1 or 0.0.0.0.`);
    default:
      return error;
  }
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : '';
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

main().catch((error: unknown) => {
  const foreseen = error instanceof StartError || error instanceof EngineMissingError;
  const text = foreseen ? error.message : `Voicewire cannot start: ${String(error)}`;
  process.stderr.write(`${text.replaceAll('\n', ' ')}\n`);
  process.exit(1);
});
