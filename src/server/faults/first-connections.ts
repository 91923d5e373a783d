import type { IncomingMessage } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { remoteOf } from '../origin.ts';
import { digestOf } from '../state/digest.ts';
import { FairStore } from '../state/shares.ts';

/** A client without a connection for this long begins anew. A reconnect comes sooner, most new runs of a test later. */
const NEW_RUN_MS = 10_000;
/** More clients than one server has behind faults. */
const MAX_CLIENTS = 1000;

/** Counts connections or calls, and returns whether one is the first of its client. @param until closes with it */
type IsFirst = (
  request: IncomingMessage,
  path: string,
  until: { destroyed: boolean; once(event: 'close', over: () => void): unknown },
) => boolean;

/** Tells first connections from reconnects. A client is a program (`User-Agent`) at a remote address, on one path. */
export function firstConnections(clock: Clock): IsFirst {
  const clients = new FairStore<{ open: number; lastMs: number }>(MAX_CLIENTS);
  return (request, path, until) => {
    // A client that has left already emits no further close.
    if (until.destroyed) return false;
    const address = remoteOf(request);
    const key = digestOf(JSON.stringify([path, address, request.headers['user-agent']]));
    const client = clients.get(key) ?? { open: 0, lastMs: Number.NEGATIVE_INFINITY };
    const isFirst = client.open === 0 && clock.nowMs() - client.lastMs >= NEW_RUN_MS;
    client.open += 1;
    until.once('close', () => {
      client.open -= 1;
      client.lastMs = clock.nowMs();
    });
    clients.set(key, client, [address]);
    return isFirst;
  };
}
