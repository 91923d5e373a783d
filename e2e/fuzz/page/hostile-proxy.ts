import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { handshakeOf, readAddress } from '#protocol/core/address.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { joinSockets } from '../../support/delaying-proxy.ts';
import { createCatalogueHost } from '../../support/scripted-server.ts';
import type { WireMessage } from '../mutation/mutations.ts';

/** What a hostile server says to the next message of a page, and how it ends the connection then. */
export interface Attack {
  messages: readonly WireMessage[];
  /** Null: without a close frame. */
  closeCode: number | null;
}

/** A WebSocket server on loopback that passes everything on to the local server, except for its attacks. */
export interface HostileProxy {
  /** To be entered as the page's custom address, for a vendor's prefix. */
  base(prefix: string): string;
  /** Answers the next message of any connection with this. Resolves once that connection has ended. */
  attack(what: Attack): Promise<void>;
  /** Forgets an attack that has not begun. */
  calm(): void;
  close(): Promise<void>;
}

/** @param origin of the local server, `ws://127.0.0.1:4173` */
export async function startHostileProxy(origin: string): Promise<HostileProxy> {
  let next: { what: Attack; done: () => void } | null = null;
  const http = createCatalogueHost();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (near, request) => {
    const address = new URL(request.url ?? '/', origin);
    const spoken = ENDPOINTS.find((each) => readAddress(each, address.pathname)?.base === each.localPrefix);
    const endpoint = spoken ?? endpointOf(null);
    // An address of one's own has no key on the page unless one is entered.
    const { keyPlace } = endpoint;
    const { protocols } = handshakeOf(endpoint, address.href, LOCAL_KEY);
    if (keyPlace.in === 'message') address.searchParams.set('authorization', LOCAL_KEY);
    if (keyPlace.in === 'query') address.searchParams.set(keyPlace.name, LOCAL_KEY);
    const far = new WebSocket(address, [...protocols]);
    joinSockets(near, far, 0);
    near.on('message', () => {
      if (!next) return;
      const { what, done } = next;
      next = null;
      far.removeAllListeners('message');
      near.once('close', done);
      play(near, what);
    });
  });
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const { port } = http.address() as AddressInfo;
  return {
    base: (prefix) => `ws://127.0.0.1:${port}${prefix}`,
    attack: (what) =>
      new Promise((done) => {
        next = { what, done };
      }),
    calm() {
      next = null;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

function play(socket: WebSocket, { messages, closeCode }: Attack): void {
  for (const { payload, isText } of messages) socket.send(payload, { binary: !isText });
  if (closeCode === null) socket.terminate();
  else socket.close(closeCode);
}
