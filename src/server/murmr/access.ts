import { ALL_SLOTS_OCCUPIED, AUTH_FAILED, RATE_LIMITED, SERVER_ERROR } from '#protocol/murmr/wire/errors.ts';
import type { KeyCondition, Keys } from '../keys.ts';
import { RETRY_AFTER, Refused } from '../rest.ts';
import type { SlidingWindow, WindowLimit } from '../state/sliding-window.ts';
import { ifUnavailable, type Places, StateUnavailable } from '../state/state.ts';
import type { Quota } from './quota.ts';
import { busy, refusal } from './rest-access.ts';

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
const MAX_REQUESTS_PER_KEY = 10;

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

export interface Access {
  /** Admits a key or refuses it. A refused connection is closed. */
  admit(key: string): Promise<{ pass: Pass } | { refusal: MurmrRefusal }>;
  /**
   * Admits one generation over REST, in the same window as those of the connections. Throws the refusal of the key
   * (`facts 7`; `errors.md`).
   */
  request(key: string): Promise<RequestPass>;
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
      if (condition === null) throw refusal(401, 'Invalid API key');
      if (condition === 'noCredits') throw refusal(429, 'Usage limit exceeded.');
      if (condition === 'busy') throw busy(503, SLOTS_OCCUPIED.message);
      if (condition === 'rateLimited') throw tooManyRequests(TOO_MANY_REQUESTS, MAX_REQUESTS_PER_KEY);
      const spend = (characters: number) => quota.spend(key, characters);
      if (condition !== 'limited') return { ...UNCOUNTED, spend };
      const wanted = { kind: 'murmr-requests', name: key, limit: MAX_REQUESTS_PER_KEY };
      const taken = await places.take([wanted]).catch(refuseUncounted);
      if ('full' in taken) throw tooManyRequests(TOO_MANY_REQUESTS, taken.taken);
      try {
        if (await window(key)) return { spend, leave: taken.leave };
        throw tooManyRequests(TOO_MANY_GENERATIONS.message, taken.taken);
      } catch (error) {
        taken.leave();
        return refuseUncounted(error);
      }
    },
  };
}

/** The SDK reads the headers, the documentation shows the fields. @param active counts the running requests of the key */
const tooManyRequests = (message: string, active: number): Refused =>
  new Refused(
    429,
    {
      error: {
        type: 'rate_limit_exceeded',
        message,
        concurrent_limit: MAX_REQUESTS_PER_KEY,
        concurrent_active: active,
      },
    },
    {
      ...RETRY_AFTER,
      'X-Concurrent-Limit': `${MAX_REQUESTS_PER_KEY}`,
      'X-Concurrent-Active': `${active}`,
    },
  );

/** Throws the fault, or the refusal of a request that cannot be counted. */
function refuseUncounted(error: unknown): never {
  throw error instanceof StateUnavailable ? busy(503, UNREACHABLE.message) : error;
}
