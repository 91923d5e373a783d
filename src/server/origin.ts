import { isIPv4 } from 'node:net';

/** Host and port as a Host header may hold them; anything else could be more than a host. */
const HOST_HEADER = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** Names and addresses that only ever mean this machine. An IPv6 address may stand in brackets. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIPv4(name) && name.startsWith('127.'))
  );
}

/**
 * Whether the server answers under this Host header. A page of an attacker can point its own name at 127.0.0.1 (DNS
 * rebinding) and would then count as the same origin, so a server that is bound to loopback answers to loopback names
 * alone.
 */
export function isAllowedHost(hostHeader: string | undefined, boundToLoopback: boolean): boolean {
  const name = HOST_HEADER.exec(hostHeader ?? '')?.[1];
  return name !== undefined && (!boundToLoopback || isLoopbackHost(name));
}

/**
 * Whether a page of this origin may use the server: programs without an origin, the server's own page, and pages of
 * this machine. `null` (a file, a sandboxed frame) could be anyone.
 */
export function isAllowedOrigin(origin: string | undefined, hostHeader: string | undefined): boolean {
  if (origin === undefined) return true;
  let url: URL;
  try {
    url = new URL(origin);
  } catch {
    return false;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return isLoopbackHost(url.hostname) || url.host === hostHeader?.toLowerCase();
}
