import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { ApplicationOptions } from './application.ts';
import { type Environment, StartError } from './environment.ts';
import { createLog, faultFields } from './log.ts';
import { isLoopbackHost } from './origin.ts';
import { type RunningServer, startServer } from './running-server.ts';
import { staticFiles } from './static-files.ts';

/** Heap that may be added until the next collection, in percent. By itself V8 keeps several times what is used, also of large messages. */
const HEAP_GROWTH = 25;
/** The process ends within five seconds of a signal. Speech that still runs then is cut off. */
const SHUT_DOWN_WITHIN_MS = 4800;

/**
 * Serves the page and every endpoint until SIGTERM or SIGINT, which end the process with 0.
 * @param page directory of the built page @returns the origin @throws StartError
 */
export async function serve(
  environment: Environment,
  page: string,
  parts: Partial<ApplicationOptions> = {},
): Promise<string> {
  const { host, keys, logLevel, connect, notices } = environment;
  if (!existsSync(join(page, 'index.html'))) {
    throw new StartError('The page is not built yet. Use npm start, which builds it first.');
  }
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const log = createLog(logLevel);
  let running: RunningServer | undefined;
  // Under npm, Ctrl-C arrives twice: from the terminal and from npm.
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(0), SHUT_DOWN_WITHIN_MS);
    // No client is connected before the server runs.
    if (running) void running.stop().then(() => process.exit(0));
    else process.exit(0);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);

  running = await startServer(environment, { log, files: staticFiles(page, connect), ...parts });

  // Every session and request handles its own faults. One that escapes them must not end the sessions of everybody else.
  process.on('uncaughtException', (error: unknown) => {
    log.error(faultFields(error), 'uncaught fault');
  });

  for (const notice of notices) process.stderr.write(`${notice}\n`);
  if (!isLoopbackHost(host)) process.stderr.write(`${reachNotice(host, keys.only)}\n`);
  process.stdout.write(`Voicewire is ready at ${running.http}\n`);
  return running.http;
}

/** Names the machines that can use a server that is not bound to loopback. */
const reachNotice = (host: string, hasOwnKeys: boolean): string =>
  hasOwnKeys
    ? `Every machine that reaches ${host} can connect; only the keys of VOICEWIRE_KEYS are accepted.`
    : `Every machine that reaches ${host} can use this server with the key "local". Set VOICEWIRE_KEYS=only:KEY to change that.`;
