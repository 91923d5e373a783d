import { isIPv4 } from 'node:net';

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

/**
 * Whether the server answers to this Host header. An attacker's page can resolve its own name to 127.0.0.1 (DNS
 * rebinding) and would count as the same origin. A server bound to loopback therefore answers to loopback names only.
 */
export function isAllowedHost(hostHeader: string | undefined, boundToLoopback: boolean): boolean {
  const name = HOST_HEADER.exec(hostHeader ?? '')?.[1];
  return name !== undefined && (!boundToLoopback || isLoopbackHost(name));
}

/**
 * Whether this origin may use the server: programs without an origin, the server's own page, and pages of this
 * machine. `null` (a file, a sandboxed frame) is refused, because it could be any page.
 */
export function isAllowedOrigin(origin: string | undefined, hostHeader: string | undefined): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return isLoopbackHost(url.hostname) || url.host === hostHeader?.toLowerCase();
}
