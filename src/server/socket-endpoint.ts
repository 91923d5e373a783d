import type { IncomingMessage } from 'node:http';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import type { EndpointMeter } from './metrics/meter.ts';
import type { RefusedUpgrade } from './refused-upgrade.ts';
import { CLOSE_TRY_AGAIN, type OpenSession } from './sockets/web-socket.ts';
import type { Lease } from './state/key-accounts.ts';

/** A handshake. */
export interface AskedUpgrade {
  request: IncomingMessage;
  url: URL;
  /** Sent in the answer and in error frames, and logged. */
  requestId: string;
  /** Reports a fault that was injected into this connection. @param mark its name for the page; empty for none */
  injected(what: string, mark: string): void;
}

export interface AcceptedUpgrade {
  /** Lines of the answer besides `x-request-id`, which they may replace. */
  headers: readonly string[];
  /** The subprotocol; without this field the first one that the client offers. */
  protocol?: string | false;
  open: OpenSession;
}

/** Why a server takes no client: `unreachable` is the state that counts them. */
export type TurnedAway = 'full' | 'shutting down' | 'unreachable';

/** The end of a connection: a frame where there is one, then the close. */
export interface SocketEnding {
  frame?: object;
  code: number;
  reason: string;
}

/** The endpoint at one path. */
export interface SocketEndpoint {
  /** Its name in captures: that of the registry, or empty where frames are only listed. Null: never captured. */
  captureAs: EndpointId | '' | null;
  /** Counts its sessions and refusals. */
  meter: EndpointMeter;
  /** Sockets without messages stay open and keep their places. */
  mayIdle?: boolean;
  /** The key of a handshake; empty where it has none. */
  keyOf?(asked: AskedUpgrade): string;
  /** Answers a handshake, or throws a {@link Refused}. After an abort of the signal nobody waits for the answer, and nothing opens its session. */
  admit(
    asked: AskedUpgrade,
    left: AbortSignal,
  ): AcceptedUpgrade | RefusedUpgrade | Promise<AcceptedUpgrade | RefusedUpgrade>;
  /** Refuses clients that may come again. Those of a server that shuts down have its usual close unless one is given. */
  turnedAway: Readonly<Record<'full' | 'unreachable', SocketEnding> & { 'shutting down'?: SocketEnding }>;
  /** Close of sessions that are still busy when the server ends. */
  restart: { code: number; reason: string };
}

/** Turns away by a close alone. */
export function closeTurnedAway(reason: string): SocketEndpoint['turnedAway'] {
  const ending: SocketEnding = { code: CLOSE_TRY_AGAIN, reason };
  return { full: ending, unreachable: ending };
}

/** Returns a lease that a handshake takes, which also ends when its client leaves before the answer. */
export function leaseOfHandshake(lease: Lease, left: AbortSignal): Lease {
  left.addEventListener('abort', lease.leave);
  if (left.aborted) lease.leave();
  return lease;
}
