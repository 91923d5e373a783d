import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** Stands before the local server and holds back everything that it says by a known time, as a longer line would. */
export interface DelayingProxy {
  /** WebSocket base of a vendor's host behind so much delay. @param prefix `/kugel` or `/murmr` */
  base(delayMs: number, prefix: string): string;
  close(): Promise<void>;
}

const PATH = /^\/after\/(\d+)(\/.*)$/;

/** @param origin of the local server, `ws://127.0.0.1:4173` */
export async function startDelayingProxy(origin: string): Promise<DelayingProxy> {
  const http = createServer((_, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (near, request) => {
    const [, delay = '0', path = '/'] = PATH.exec(request.url ?? '') ?? [];
    const address = new URL(path, origin);
    // An address of one's own has no key on the page unless one is entered.
    address.searchParams.set('api_key', 'local');
    joinSockets(near, new WebSocket(address), Number(delay));
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const { port } = http.address() as AddressInfo;
  return {
    base: (delayMs, prefix) => `ws://127.0.0.1:${port}/after/${delayMs}${prefix}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

/** Passes frames of the client at once and frames of the server after the delay, in order. */
export function joinSockets(near: WebSocket, far: WebSocket, delayMs: number): void {
  const early: [RawData, boolean][] = [];
  near.on('message', (data, isBinary) => {
    if (far.readyState === WebSocket.OPEN) far.send(data, { binary: isBinary });
    else early.push([data, isBinary]);
  });
  far.on('open', () => {
    for (const [data, isBinary] of early) far.send(data, { binary: isBinary });
  });
  far.on('message', (data, isBinary) => {
    setTimeout(() => near.send(data, { binary: isBinary }), delayMs);
  });
  far.on('close', (code) => setTimeout(() => near.close(isSendable(code) ? code : 1000), delayMs));
  far.on('error', () => near.terminate());
  near.on('close', () => far.close());
}

/** Codes that a side may send in a close frame. */
const isSendable = (code: number): boolean => code === 1000 || (code >= 1007 && code <= 1014) || code >= 3000;
