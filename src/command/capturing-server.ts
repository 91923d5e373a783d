import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '#lib/clock.ts';
import { createApplication } from '#server/application.ts';
import { Capture } from '#server/capture/capture.ts';
import { openDataFile } from '#server/data-file.ts';
import type { Environment } from '#server/environment.ts';
import { createKeys } from '#server/keys.ts';
import { createLog } from '#server/log.ts';
import { onUpgrade } from '#server/on-upgrade.ts';
import { hostsOf } from '#server/origin.ts';
import { createEspeakEngine } from '#server/speech/espeak/espeak-engine.ts';
import { warmUp } from '#server/speech/warm-up.ts';

/** Everything that a command sends and receives must fit. */
const MAX_CAPTURE_BYTES = 1024 * 1024 * 1024;
const MAX_CONNECTIONS = 10_000;

export interface CapturingServer {
  /** Its origin, with `http:`. */
  origin: string;
  capture: Capture;
  stop(): Promise<void>;
}

/** Starts the server on a free port of loopback, without its page. */
export async function startCapturingServer(environment: Environment): Promise<CapturingServer> {
  const { keys, dataPath, relays, logLevel, root } = environment;
  const engine = await createEspeakEngine();
  await warmUp(engine);
  const capture = new Capture(systemClock, { maxBytes: MAX_CAPTURE_BYTES, maxConnections: MAX_CONNECTIONS });
  const application = createApplication({
    engine,
    clock: systemClock,
    log: createLog(logLevel),
    keys: createKeys(keys),
    data: openDataFile(dataPath),
    answersTo: hostsOf('127.0.0.1'),
    relays,
    root,
    capture,
  });
  const http = createServer((request, response) => application.handle(request, response));
  onUpgrade(http, application.upgrade);
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    capture,
    async stop() {
      await application.shutDown();
      http.closeAllConnections();
      http.close();
      await engine.close();
    },
  };
}
