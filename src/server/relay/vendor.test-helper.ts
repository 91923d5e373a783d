import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** A vendor's host whose answers a test decides. */
export interface TestVendor {
  host: string;
  base: URL;
  /** Handshakes and calls, in order. */
  readonly requests: IncomingMessage[];
  /** Answers calls; 404 by default. */
  answer: RequestListener;
  /** Answers handshakes; accepts them by default. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Answers all requests by this text of HTTP. */
  replies(text: string): void;
  /** Further lines of accepted handshakes. */
  headers: string[];
  /** The next accepted socket. */
  accepted(): Promise<WebSocket>;
  stop(): Promise<void>;
}

export async function startTestVendor(autoPong = true): Promise<TestVendor> {
  const handleProtocols = (offered: Set<string>) => chosenOf(offered);
  const sockets = new WebSocketServer({ noServer: true, autoPong, handleProtocols });
  const http = createServer((request, response) => {
    vendor.requests.push(request);
    vendor.answer(request, response);
  });
  http.on('upgrade', (request, socket, head) => {
    vendor.requests.push(request);
    vendor.upgrade(request, socket, head);
  });
  // Its tests send what a vendor may not.
  sockets.on('connection', (socket) => socket.on('error', () => {}));
  sockets.on('headers', (lines) => lines.push(...vendor.headers));
  const open = new Set<Duplex>();
  http.on('connection', (socket) => open.add(socket));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const vendor: TestVendor = {
    host,
    base: new URL(`ws://${host}/prefix`),
    requests: [],
    headers: [],
    answer: (_, response) => response.writeHead(404).end(),
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        sockets.emit('connection', webSocket, request),
      ),
    replies(text) {
      vendor.upgrade = (_, socket) => socket.end(text);
      vendor.answer = ({ socket }) => socket.end(text);
    },
    async accepted() {
      const [socket] = (await once(sockets, 'connection')) as [WebSocket];
      return socket;
    },
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((done) => http.close(done));
    },
  };
  return vendor;
}

/** A vendor that knows one subprotocol. */
const chosenOf = (offered: Set<string>): string | false => (offered.has('known') ? 'known' : false);

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
}

/** Sends a request with these headers alone, on a connection of its own. `fetch` sets some itself. */
export function ask(address: string, { method = 'GET', headers = {} }: Asked = {}) {
  const request = requestHttp(address, { method, headers, agent: false });
  request.on('error', () => {});
  const response = once(request, 'response').then(([answer]) => answer as IncomingMessage);
  response.catch(() => {});
  return { request, response };
}

export async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
