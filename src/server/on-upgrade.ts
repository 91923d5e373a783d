import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Headers of an offer to go on with another protocol, on this connection alone. */
const OFFER = /^(?:connection|upgrade|http2-settings)$/i;

/**
 * Handles WebSocket upgrades. Node reports any other offer in the same way, such as that of HTTP/2 by curl and Java. A
 * server may ignore an offer, so such a request starts again without it.
 */
export function onUpgrade(server: Server, upgrade: Upgrade): void {
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') {
      upgrade(request, socket, head);
      return;
    }
    const { method, url, httpVersion, rawHeaders } = request;
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] ?? '';
      if (!OFFER.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`);
    }
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    server.emit('connection', socket);
  });
}
