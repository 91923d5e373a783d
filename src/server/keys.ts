import type { IncomingHttpHeaders } from 'node:http';
import { programHandshakeOf } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { readProtocols } from '#protocol/core/private-protocol.ts';
import { LIMITED_KEY, LOCAL_KEY } from '#protocol/core/servers.ts';

/** Condition that a key produces (wire-key-1). */
export type KeyCondition = 'works' | 'unpriced' | 'noCredits' | 'rateLimited' | 'busy' | 'limited';

export interface Keys {
  /** A documented key, which everybody knows. */
  isShared(key: string): boolean;
  /** Null for an unknown key. */
  conditionOf(key: string): KeyCondition | null;
}

const CONDITIONS: Readonly<Record<string, KeyCondition>> = {
  [LOCAL_KEY]: 'works',
  'local-unpriced': 'unpriced',
  'local-no-credits': 'noCredits',
  'local-rate-limited': 'rateLimited',
  'local-busy': 'busy',
  [LIMITED_KEY]: 'limited',
};

/** Keys that behave like `local`, beside the documented keys or instead of them. */
export interface KeyList {
  readonly keys: readonly string[];
  readonly only: boolean;
}

export function createKeys({ keys, only }: KeyList = { keys: [], only: false }): Keys {
  const conditions = new Map<string, KeyCondition>([
    ...keys.map((key): [string, KeyCondition] => [key, 'works']),
    ...(only ? [] : Object.entries(CONDITIONS)),
  ]);
  return {
    conditionOf: (key) => conditions.get(key) ?? null,
    isShared: (key) => key in CONDITIONS,
  };
}

/** The key of an `Authorization` header; undefined without one. */
export const bearerIn = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];

/**
 * Takes private subprotocols out of a handshake. Their key goes into the header where the endpoint's vendor expects it,
 * and nowhere else.
 * @param endpoint undefined for an unknown one
 * @returns the key, null for an unreadable one; undefined without private subprotocols
 */
export function takePrivateKey(
  headers: IncomingHttpHeaders,
  endpoint: Endpoint | undefined,
): string | null | undefined {
  const { isPrivate, key, others } = readProtocols(headers[PROTOCOLS] ?? '');
  if (!isPrivate) return undefined;
  if (others.length > 0) headers[PROTOCOLS] = others.join(', ');
  else delete headers[PROTOCOLS];
  const made = endpoint && key !== null ? programHandshakeOf(endpoint, '', key).headers : {};
  for (const [name, value] of Object.entries(made)) headers[name.toLowerCase()] = value;
  return key;
}

const PROTOCOLS = 'sec-websocket-protocol';
