import { CLOSE_AFTER, type ErrorName } from '#protocol/kugel/wire/errors.ts';
import type { Connection } from '../connection.ts';
import type { KeyCondition, Keys } from '../keys.ts';

/** What a key stands for on the local server (`contract.md`, "Keys on the local server"). */
export interface Account {
  /** The charge can be told; otherwise `cost_cents` is null and `cost_unavailable` true. */
  priced: boolean;
}

/** The vendor's error envelope, the same on the socket and over HTTP (`facts 1.8`). */
export interface KugelRefusal {
  error: string;
  error_code: ErrorName;
  /** Like an HTTP status; over HTTP it is the status. */
  code: number;
}

/** What every handshake answers besides the request id (`facts 1.3.6`). */
export const HANDSHAKE_HEADERS: readonly string[] = ['x-kugelaudio-ai-generated: true'];

/** Keys that are there to show one refusal. */
const REFUSALS: Partial<Record<KeyCondition, KugelRefusal>> = {
  noCredits: { error: 'Insufficient credits', error_code: 'INSUFFICIENT_CREDITS', code: 402 },
  rateLimited: { error: 'Rate limit exceeded', error_code: 'RATE_LIMITED', code: 429 },
  busy: { error: 'Model unavailable', error_code: 'MODEL_UNAVAILABLE', code: 503 },
};

/** What is wrong with a key as such; null where it is a known one. */
export function keyRefusal(keys: Keys, key: string): KugelRefusal | null {
  if (key === '') return { error: 'Unauthorized', error_code: 'UNAUTHORIZED', code: 401 };
  if (keys.conditionOf(key) === null)
    return { error: 'Invalid API key', error_code: 'UNAUTHORIZED', code: 401 };
  return null;
}

/** Whether a key may speak, and on what terms. Scenario keys are refused here alone: a catalogue costs nothing. */
export function admit(keys: Keys, key: string): { account: Account } | { refusal: KugelRefusal } {
  const condition = keys.conditionOf(key);
  const refusal = keyRefusal(keys, key) ?? (condition === null ? null : REFUSALS[condition]);
  return refusal ? { refusal } : { account: { priced: condition !== 'unpriced' } };
}

/** The error frame, then the close that goes with it: a browser sees nothing of a refused upgrade (decision 3). */
export function refuse(connection: Connection, refusal: KugelRefusal, requestId: string): void {
  connection.send(JSON.stringify({ ...refusal, request_id: requestId }));
  connection.close(CLOSE_AFTER[refusal.error_code] ?? 1008, refusal.error_code);
}
