import type { Endpoint, Server } from '#protocol/core/endpoint.ts';
import { vendorHosts } from '#protocol/core/servers.ts';
import { serverOf } from './settings-store.ts';

/** Hosts that the server's page policy admits besides its own origin; more by `VOICEWIRE_CONNECT`. */
const LOOPBACK = new Set(['localhost', '127.0.0.1']);

/** `ws`: frames of speech. `http`: requests to a server of OpenAI's API. */
export type AddressKind = 'ws' | 'http';

const EXAMPLES: Readonly<Record<AddressKind, string>> = {
  ws: 'wss://tts.example.com',
  http: 'http://localhost:11434/v1',
};

/** Returns the problem of a typed address; null if it is valid. */
export function addressProblem(typed: string, kind: AddressKind = 'ws'): string | null {
  const text = typed.trim();
  const schemes = `${kind}:// or ${kind}s://`;
  if (text === '') return `Enter an address such as ${EXAMPLES[kind]}.`;
  if (!URL.canParse(text)) return `This is no address. It starts with ${schemes}, then the host.`;
  const url = new URL(text);
  if (url.protocol !== `${kind}:` && url.protocol !== `${kind}s:`) {
    return `It starts with ${url.protocol}//, but must start with ${schemes}.`;
  }
  if (url.username || url.password) return 'Leave user and password out; the key has its own field.';
  if (url.search || url.hash) return 'Leave out everything after ? or #; the key has its own field.';
  return null;
}

/** Returns why the page's security policy blocks the address; null if it is allowed. */
export function policyProblem(
  typed: string,
  endpoints: readonly Endpoint[],
  pageHost: string,
  kind: AddressKind = 'ws',
): string | null {
  if (addressProblem(typed, kind) !== null) return null;
  const url = new URL(typed.trim());
  if (url.host === pageHost || LOOPBACK.has(url.hostname)) return null;
  if (vendorHosts(endpoints).includes(url.host)) return null;
  return `This page may only connect to this machine and the vendors. Start the server with VOICEWIRE_CONNECT=${url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin} to add it.`;
}

/** The typed address as a base: without spaces and trailing slashes. */
export const normalBase = (typed: string): string => typed.trim().replace(/(?<!\/)\/+$/, '');

/** Returns the typed base of an API. A typed address of the call itself is shortened. @param call its path, `/speak` */
export function apiBase(typed: string, call: string): string {
  const base = normalBase(typed);
  return base.endsWith(call) ? normalBase(base.slice(0, -call.length)) : base;
}

/** WebSocket base of a server of the endpoint, or of a typed address. */
export function webSocketBase(
  endpoint: Endpoint,
  server: Pick<Server, 'base' | 'path'> | string,
  pageOrigin: string,
): string {
  const { base, path = '' } = typeof server === 'string' ? { base: server } : server;
  return base === null
    ? `${pageOrigin.replace(/^http/, 'ws')}${path}${endpoint.localPrefix}`
    : normalBase(base);
}

/** Returns a base at the page's server with faults on purpose. @param spec as `parseFaults` reads it */
export function faultyBase(base: string, spec: string): string {
  const { protocol, host, pathname } = new URL(base);
  return `${protocol}//${host}/faults/${spec}${pathname}`;
}

/** Returns the WebSocket base of a server by its id; null where a custom address is invalid. */
export function serverBase(
  endpoint: Endpoint,
  serverId: string,
  customBase: string,
  pageOrigin: string,
): string | null {
  const server = serverOf(endpoint, serverId);
  if (!server && addressProblem(customBase) !== null) return null;
  return webSocketBase(endpoint, server ?? customBase, pageOrigin);
}

/** Returns the HTTP base of a WebSocket base, for voices and dictionaries. */
export const httpBase = (base: string): string => base.replace(/^ws/, 'http');
