import { ALL_SLOTS_OCCUPIED, AUTH_FAILED, RATE_LIMITED, SERVER_ERROR } from '#protocol/murmr/wire/errors.ts';
import type { KeyCondition, Keys } from '../keys.ts';
import type { SlidingWindow, WindowLimit } from '../state/sliding-window.ts';
import { type Places, StateUnavailable } from '../state/state.ts';
import type { Quota } from './quota.ts';

/** Content of an error frame. */
export interface MurmrRefusal {
  message: string;
  code: number;
}

/** Limits of a key (seed, "Rate Limits"). The server itself enforces the limit of 500 connections. */
const MAX_CONNECTIONS_PER_KEY = 10;
const MAX_GENERATIONS_PER_MINUTE = 100;
export const GENERATION_LIMIT: WindowLimit = { limit: MAX_GENERATIONS_PER_MINUTE, windowSeconds: 60 };
/** Limit of the Scale plan (`facts 7`). */
export const MAX_REQUESTS_PER_KEY = 10;

/** A connection whose key was accepted. */
export interface Pass {
  /**
   * Admits one generation of so many characters, or returns the refusal. The connection stays open (`facts 6.3.7`,
   * `6.3.8`).
   */
  generation(characters: number): Promise<MurmrRefusal | null>;
  /** Releases the connection's place. */
  leave(): void;
}

/** A generation over REST that was admitted. */
export interface RequestPass {
  /** Charges the characters that will be spoken. */
  spend(characters: number): void;
  /** Releases the place of the generation. */
  leave(): void;
}

/** A generation over REST that was refused. `active` counts the key's running requests. */
export type RequestRefusal =
  | { why: 'unknown key' }
  | { why: 'no credits' }
  | { why: 'busy'; message: string }
  | { why: 'rate limited'; message: string; active: number };

export interface Access {
  /** Admits a key or refuses it. A refused connection is closed. */
  admit(key: string): Promise<{ pass: Pass } | { refusal: MurmrRefusal }>;
  /** Admits one generation over REST, in the same window as those of the connections. */
  request(key: string): Promise<RequestPass | { refusal: RequestRefusal }>;
}

const INVALID_KEY: MurmrRefusal = { message: 'Invalid API key', code: AUTH_FAILED };

/** Short, because a close reason is limited to 123 bytes (RFC 6455, 5.5). */
const NEEDS_PLAN: MurmrRefusal = {
  message: 'WebSocket needs the Realtime or the Scale plan; this key is on the Free plan',
  code: AUTH_FAILED,
};

const tooManyConnections = (limit: number): MurmrRefusal => ({
  message: `Too many connections: at most ${limit} may be open with one key`,
  code: RATE_LIMITED,
});

const TOO_MANY_GENERATIONS: MurmrRefusal = {
  message: `Rate limit exceeded: at most ${MAX_GENERATIONS_PER_MINUTE} generations a minute with one key`,
  code: RATE_LIMITED,
};

/** Text of the vendor (`errors.md`). */
const TOO_MANY_REQUESTS = `Maximum ${MAX_REQUESTS_PER_KEY} concurrent requests. Retry when a current request completes.`;

/** Text of the seed. */
export const SLOTS_OCCUPIED: MurmrRefusal = {
  message: 'All slots occupied, try again shortly',
  code: ALL_SLOTS_OCCUPIED,
};

/** Nothing of the vendor. Temporary, so that clients come again. */
export const UNREACHABLE: MurmrRefusal = {
  message: 'Limits cannot be checked now, try again shortly',
  code: SERVER_ERROR,
};

/** Keys whose generations are refused. */
const REFUSES_GENERATIONS: Partial<Record<KeyCondition, MurmrRefusal>> = {
  rateLimited: TOO_MANY_GENERATIONS,
  busy: SLOTS_OCCUPIED,
};

/** Keys whose requests are refused. */
const REFUSES_REQUESTS: Partial<Record<KeyCondition, RequestRefusal>> = {
  noCredits: { why: 'no credits' },
  busy: { why: 'busy', message: SLOTS_OCCUPIED.message },
  rateLimited: { why: 'rate limited', message: TOO_MANY_REQUESTS, active: MAX_REQUESTS_PER_KEY },
};

interface Options {
  keys: Keys;
  quota: Quota;
  places: Places;
  /** Generations of a key. */
  window: SlidingWindow;
  /** Connections of any key but the shared ones, so that nobody keeps all others out. */
  connectionsOfOne: number;
}

/** A place that nobody counts. */
const UNCOUNTED = { leave: () => {} };

/**
 * Access by the keys of `contract.md`. Where limits cannot be counted, new connections and requests of limited keys are
 * refused, and generations of open connections are admitted.
 */
export function createAccess({ keys, quota, places, window, connectionsOfOne }: Options): Access {
  const takeConnection = async (key: string, condition: KeyCondition) => {
    const limit = condition === 'limited' ? MAX_CONNECTIONS_PER_KEY : connectionsOfOne;
    if (condition !== 'limited' && keys.isShared(key)) return UNCOUNTED;
    const taken = await places.take([{ kind: 'murmr-connections', name: key, limit }]);
    return 'leave' in taken ? taken : { refusal: tooManyConnections(limit) };
  };
  return {
    async admit(key) {
      const condition = keys.conditionOf(key);
      if (condition === null) return { refusal: INVALID_KEY };
      if (condition === 'noCredits') return { refusal: NEEDS_PLAN };
      const taken = await takeConnection(key, condition).catch(ifUnavailable({ refusal: UNREACHABLE }));
      if ('refusal' in taken) return taken;
      const generation = async (characters: number) => {
        const refusal = REFUSES_GENERATIONS[condition];
        if (refusal) return refusal;
        const isLimited = condition === 'limited';
        if (isLimited && !(await window(key).catch(ifUnavailable(true)))) return TOO_MANY_GENERATIONS;
        quota.spend(key, characters);
        return null;
      };
      return { pass: { generation, leave: taken.leave } };
    },
    async request(key) {
      const condition = keys.conditionOf(key);
      if (condition === null) return { refusal: { why: 'unknown key' } };
      const refusal = REFUSES_REQUESTS[condition];
      if (refusal) return { refusal };
      const spend = (characters: number) => quota.spend(key, characters);
      if (condition !== 'limited') return { ...UNCOUNTED, spend };
      const limit = MAX_REQUESTS_PER_KEY;
      const admit = async () => {
        const taken = await places.take([{ kind: 'murmr-requests', name: key, limit }]);
        if ('full' in taken) return refuseRequest(TOO_MANY_REQUESTS, taken.taken);
        const isAdmitted = await window(key).catch((error: unknown) => {
          taken.leave();
          throw error;
        });
        if (isAdmitted) return { spend, leave: taken.leave };
        taken.leave();
        return refuseRequest(TOO_MANY_GENERATIONS.message, taken.taken);
      };
      return admit().catch(
        ifUnavailable({ refusal: { why: 'busy', message: UNREACHABLE.message } as const }),
      );
    },
  };
}

const refuseRequest = (message: string, active: number) => ({
  refusal: { why: 'rate limited', message, active } as const,
});

const ifUnavailable =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof StateUnavailable) return value;
    throw error;
  };
