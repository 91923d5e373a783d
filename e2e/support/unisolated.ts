import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The page as it is served where nobody sends the isolation headers, so that it must do without shared memory. */
export async function startUnisolated(origin: string): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const onward = request(new URL(incoming.url ?? '/', origin), (answer) => {
      const headers = { ...answer.headers };
      delete headers['cross-origin-opener-policy'];
      delete headers['cross-origin-embedder-policy'];
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
