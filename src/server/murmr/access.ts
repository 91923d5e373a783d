import { ALL_SLOTS_OCCUPIED, AUTH_FAILED, RATE_LIMITED } from '#protocol/murmr/wire/errors.ts';
import type { KeyCondition, Keys } from '../keys.ts';
import { Places } from '../places.ts';
import type { Quota } from './quota.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

/** Content of an error frame. */
export interface MurmrRefusal {
  message: string;
  code: number;
}

/** Limits of a key (seed, "Rate Limits"). The server itself enforces the limit of 500 connections. */
export const MAX_CONNECTIONS_PER_KEY = 10;
export const MAX_GENERATIONS_PER_MINUTE = 100;
/** Connections of any other key, so that nobody keeps all others out. */
const MAX_CONNECTIONS_OF_ONE = 400;
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
  admit(key: string): { pass: Pass } | { refusal: MurmrRefusal };
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

/** Access by the keys of `contract.md`. */
export function createAccess(
  keys: Keys,
  quota: Quota,
  window: SlidingWindow = createSlidingWindow({ limit: MAX_GENERATIONS_PER_MINUTE, windowSeconds: 60 }),
): Access {
  const limited = new Places(MAX_CONNECTIONS_PER_KEY);
  const unlimited = new Places(MAX_CONNECTIONS_OF_ONE);
  const requests = new Places(MAX_REQUESTS_PER_KEY);
  return {
    admit(key) {
      const condition = keys.conditionOf(key);
      if (condition === null) return { refusal: INVALID_KEY };
      if (condition === 'noCredits') return { refusal: NEEDS_PLAN };
      const places = condition === 'limited' ? limited : keys.isShared(key) ? null : unlimited;
      const leave = places ? places.take(key) : () => {};
      if (!leave) return { refusal: tooManyConnections(places?.limit ?? 0) };
      const generation = async (characters: number) => {
        const refusal = REFUSES_GENERATIONS[condition];
        if (refusal) return refusal;
        if (condition === 'limited' && !(await window(key))) return TOO_MANY_GENERATIONS;
        quota.spend(key, characters);
        return null;
      };
      return { pass: { generation, leave } };
    },
    async request(key) {
      const condition = keys.conditionOf(key);
      if (condition === null) return { refusal: { why: 'unknown key' } };
      const refusal = REFUSES_REQUESTS[condition];
      if (refusal) return { refusal };
      const spend = (characters: number) => quota.spend(key, characters);
      if (condition !== 'limited') return { spend, leave: () => {} };
      const leave = requests.take(key);
      let admitted = false;
      const refuse = (message: string) => ({
        refusal: { why: 'rate limited', message, active: requests.taken(key) } as const,
      });
      if (!leave) return refuse(TOO_MANY_REQUESTS);
      try {
        admitted = await window(key);
      } finally {
        if (!admitted) leave();
      }
      if (!admitted) return refuse(TOO_MANY_GENERATIONS.message);
      return { spend, leave };
    },
  };
}
