import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

/** The path of a page on a host with others. */
const PATH = '/some/where/';

/** The built page on a host that knows nothing of it: no server of ours, no headers, not at the root. */
export async function startStaticHost(): Promise<{ address: string; close(): Promise<void> }> {
  const files = sirv(fileURLToPath(new URL('../../dist', import.meta.url)), { dev: true });
  const server = createServer((request, response) => {
    const missing = () => {
      response.statusCode = 404;
      response.end();
    };
    if (!request.url?.startsWith(PATH)) {
      missing();
      return;
    }
    request.url = request.url.slice(PATH.length - 1);
    files(request, response, missing);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
