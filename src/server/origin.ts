import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Host and port of a Host header. Anything else could contain more than a host. */
const HOST_HEADER = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** Whether a name or address always means this machine. Accepts IPv6 in brackets. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIPv4(name) && name.startsWith('127.'))
  );
}

/** The address of the client or proxy at the other end of a connection; empty once the connection is closed. */
export const remoteOf = ({ socket }: Pick<IncomingMessage, 'socket'>): string => socket.remoteAddress ?? '';

/** Whether the server answers to this Host header. */
export type Hosts = (hostHeader: string | undefined) => boolean;

/** Addresses that mean every address of the machine. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * Hosts of a server that is bound to `bound`: loopback names, that address, and further names. An attacker's page can
 * resolve its own name to this machine (DNS rebinding) and would count as the same origin, so other names are refused.
 */
export function hostsOf(bound: string, further: readonly string[] = []): Hosts {
  const names = new Set([bound, ...further].map((name) => name.toLowerCase()));
  const isOwnAddress = (name: string) =>
    WILDCARDS.has(bound) &&
    Object.values(networkInterfaces()).some((addresses) =>
      addresses?.some(({ address }) => address === name),
    );
  return (header) => {
    const host = HOST_HEADER.exec(header ?? '')?.[1];
    if (host === undefined) return false;
    const name = host.toLowerCase().replace(/^\[|\]$/g, '');
    return isLoopbackHost(name) || names.has(name) || isOwnAddress(name);
  };
}

/**
 * Whether this origin may use the server: programs without an origin, the server's own page, and pages of this
 * machine. `null` (a file, a sandboxed frame) is refused, because it could be any page.
 */
export function isAllowedOrigin(origin: string | undefined, hostHeader: string | undefined): boolean {
  if (origin === undefined) return true;
  const page = pageOf(origin);
  return page !== null && (isLoopbackHost(page.hostname) || page.host === hostHeader?.toLowerCase());
}

/**
 * Whether a page of this very server asks. Browsers name the page's origin in a handshake, and its relation to the server
 * in other requests.
 */
export function isOwnPage({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return site === 'same-origin';
  const page = pageOf(origin);
  return page !== null && page.host === host?.toLowerCase();
}

/** The origin of a page; null for anything else, such as a file or the address of a socket. */
function pageOf(origin: string): URL | null {
  if (!URL.canParse(origin)) return null;
  const url = new URL(origin);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
}
