import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageHost {
  origin: string;
  close(): Promise<void>;
}

export interface PageHostOptions {
  /** Headers that are not passed on. */
  without?: readonly string[];
  /** A request is passed on once this resolves. Playwright cannot route requests of worklets. */
  before?: (path: string) => Promise<void> | undefined;
}

/** Serves the page of another server from a new origin, with changes. */
export async function startPageHost(
  origin: string,
  { without = [], before }: PageHostOptions,
): Promise<PageHost> {
  const server = createServer(async (incoming, outgoing) => {
    await before?.(incoming.url ?? '/');
    const onward = request(new URL(incoming.url ?? '/', origin), (answer) => {
      const headers = { ...answer.headers };
      for (const name of without) delete headers[name];
      outgoing.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    onward.end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Serves the page without the isolation headers, so that it must do without shared memory. */
export const startUnisolated = (origin: string): Promise<PageHost> =>
  startPageHost(origin, { without: ['cross-origin-opener-policy', 'cross-origin-embedder-policy'] });
