import type { IncomingHttpHeaders } from 'node:http';
import { CLOSE_AFTER, type ErrorName } from '#protocol/kugel/wire/errors.ts';
import type { Connection } from '../connection.ts';
import { bearerIn, type KeyCondition, type Keys } from '../keys.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { callerOf, RETRY_AFTER, Refused, type RestContext } from '../rest.ts';
import { digestOf } from '../state/digest.ts';
import type { Peer } from '../state/shares.ts';

/** Account of a key (`contract.md`, "Keys on the local server"). */
export interface Account {
  /** False: `cost_cents` is null and `cost_unavailable` true. */
  priced: boolean;
}

/** The vendor's error envelope, the same on the socket and over HTTP (`facts 1.8`). */
export interface KugelRefusal {
  error: string;
  error_code: ErrorName;
  /** An HTTP status, also on the socket. */
  code: number;
}

/** Handshake headers besides the request id (`facts 1.3.6`). */
export const HANDSHAKE_HEADERS: readonly string[] = ['x-kugelaudio-ai-generated: true'];

export const MODEL_UNAVAILABLE: KugelRefusal = {
  error: 'Model unavailable',
  error_code: 'MODEL_UNAVAILABLE',
  code: 503,
};

/** Keys that each produce one refusal. */
const REFUSALS: Partial<Record<KeyCondition, KugelRefusal>> = {
  noCredits: { error: 'Insufficient credits', error_code: 'INSUFFICIENT_CREDITS', code: 402 },
  rateLimited: { error: 'Rate limit exceeded', error_code: 'RATE_LIMITED', code: 429 },
  busy: MODEL_UNAVAILABLE,
};

/** Name and `error_code` of an HTTP status. */
export const errorOf = (code: number, error: string): KugelRefusal => ({
  error,
  error_code: ERROR_NAMES[code] ?? 'VALIDATION_ERROR',
  code,
});

/** The refusal of a message or a body. */
export const invalid = (why: string): KugelRefusal => errorOf(400, `Invalid request: ${why}`);

const ERROR_NAMES: Partial<Record<number, ErrorName>> = {
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  500: 'INTERNAL_ERROR',
  503: 'INTERNAL_ERROR',
};

/** Ends a REST call with the envelope (`facts 1.8`), and names the time to retry (`facts 1.9`). */
export const refused = (refusal: KugelRefusal): Refused =>
  new Refused(refusal.code, refusal, refusal.code === 429 || refusal.code === 503 ? RETRY_AFTER : {});

/** Parameters of a query that hold a key (`facts 1.2`). Apps in a browser send a token. */
const KEY_PARAMETERS = ['api_key', 'token', 'master_key'];

/** The key of a request, from the first place of `facts 1.2` that holds one; empty without any. */
export function keyIn({ searchParams }: URL, headers: IncomingHttpHeaders): string {
  const parameter = KEY_PARAMETERS.map((name) => searchParams.get(name)).find(Boolean);
  return parameter ?? bearerIn(headers) ?? String(headers['x-api-key'] ?? '');
}

/** The refusal of a REST call for something that does not exist. */
export const notFound = (what: string): Refused => refused(errorOf(404, `${what} not found`));

/** The key of a REST call; empty without any. */
export const requestKey = (c: RestContext): string => keyIn(new URL(c.req.url), c.env.incoming.headers);

/** Who calls. */
export type CallerOf = (c: RestContext) => Peer;

/** Returns who calls, of those with these keys. */
export const callersWith =
  (keys: Keys): CallerOf =>
  (c) => {
    const key = requestKey(c);
    return callerOf(c, { name: digestOf(key), isShared: keys.isShared(key) });
  };

/** Refusal of a missing or unknown key; null for a known one. */
export function keyRefusal(keys: Keys, key: string): KugelRefusal | null {
  if (key === '') return { error: 'Unauthorized', error_code: 'UNAUTHORIZED', code: 401 };
  if (keys.conditionOf(key) === null)
    return { error: 'Invalid API key', error_code: 'UNAUTHORIZED', code: 401 };
  return null;
}

/** Admits a key to speak. Only this check refuses scenario keys, because catalogue calls cost nothing. */
export function admit(keys: Keys, key: string): { account: Account } | { refusal: KugelRefusal } {
  const condition = keys.conditionOf(key);
  const refusal = keyRefusal(keys, key) ?? (condition === null ? null : REFUSALS[condition]);
  return refusal ? { refusal } : { account: { priced: condition !== 'unpriced' } };
}

/** The close that ends a socket after an error. */
export const closeAfter = ({ error_code }: KugelRefusal) => ({
  code: CLOSE_AFTER[error_code] ?? 1008,
  reason: error_code,
});

/** Ours: about the time that the vendor takes to check a key. Clients begin to listen once their socket is open. */
const REFUSED_AFTER_MS = 50;

/**
 * Sends the error frame, then its close code, a moment after the handshake: pooled clients drop what comes before their
 * first request. A refused upgrade would show neither to a browser (decision 3).
 */
export function refuse(
  { connection, meter, requestId }: { connection: Connection; meter: EndpointMeter; requestId: string },
  refusal: KugelRefusal,
): void {
  meter.refused(refusal.error_code);
  const { code, reason } = closeAfter(refusal);
  connection.clock.after(REFUSED_AFTER_MS, () => {
    connection.send(JSON.stringify({ ...refusal, request_id: requestId }));
    connection.close(code, reason);
  });
}
