import { ALL_SLOTS_OCCUPIED, AUTH_FAILED, RATE_LIMITED, SERVER_ERROR } from '#protocol/murmr/wire/errors.ts';
import type { KeyCondition } from '../keys.ts';
import { Refused } from '../rest.ts';
import { type KeyAccount, KeyAccounts, type Lease, UNCOUNTED } from '../state/key-accounts.ts';
import type { SlidingWindow, WindowLimit } from '../state/sliding-window.ts';
import { ifUnavailable, StateUnavailable } from '../state/state.ts';
import type { VendorParts } from '../vendor-server.ts';

/** An error in the vendor's form. */
export const refusal = (status: number, error: string): Refused => new Refused(status, { error });

/** Error of a generation that the engine did not finish. */
export const SPEECH_FAILED = 'Speech generation failed';

/** Content of an error frame. */
export interface MurmrRefusal {
  message: string;
  code: number;
}

/** Limits of a key (murmr-limit-1, murmr-limit-2). The server itself enforces the limit of 500 connections. */
const MAX_CONNECTIONS_PER_KEY = 10;
const MAX_GENERATIONS_PER_MINUTE = 100;
const GENERATION_LIMIT: WindowLimit = { limit: MAX_GENERATIONS_PER_MINUTE, windowSeconds: 60 };
/** Limit of the Scale plan. */
const MAX_REQUESTS_PER_KEY = 10;
const MONTHLY_CHARS = { free: 50_000, scale: 10_000_000 } as const;

/** A connection whose key was accepted. */
export interface Pass {
  /**
   * Admits one generation of so many characters, or returns the refusal. The connection stays open
   * (murmr-error-2).
   */
  generation(characters: number): Promise<MurmrRefusal | null>;
  /** Releases the connection's place. */
  leave(): void;
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

/** Text of the vendor. */
const TOO_MANY_REQUESTS = `Maximum ${MAX_REQUESTS_PER_KEY} concurrent requests. Retry when a current request completes.`;

/** The message is the vendor's (murmr-error-3). */
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

const openAccounts = (parts: AccessParts) =>
  new KeyAccounts('murmr', parts, {
    refusals: {
      // Credits do not come back in a moment.
      noCredits: () => new Refused(429, { error: 'Usage limit exceeded.' }, {}, false),
      rateLimited: (active: number) => tooManyRequests(TOO_MANY_REQUESTS, active),
      busy: () => refusal(503, SLOTS_OCCUPIED.message),
      unreachable: () => refusal(503, UNREACHABLE.message),
    },
    places: { requests: MAX_REQUESTS_PER_KEY },
  });

type AccessParts = Pick<VendorParts, 'keys' | 'clock' | 'state' | 'limits'>;

export type Access = ReturnType<typeof createAccess>;

/**
 * Access by the keys of the local server (wire-key-1). Where limits cannot be counted, new connections and requests of limited
 * keys are refused, and generations of open connections are admitted.
 * @param window the generations of a limited key
 */
export function createAccess(
  parts: AccessParts,
  window: SlidingWindow = parts.state.slidingWindow('murmr-generations', GENERATION_LIMIT),
) {
  const { state, limits } = parts;
  const accounts = openAccounts(parts);
  const takeConnection = async ({ name, condition, isShared }: KeyAccount) => {
    // Any key but the shared ones has a limit, so that nobody keeps all others out.
    const limit = condition === 'limited' ? MAX_CONNECTIONS_PER_KEY : limits.socketsOfOne;
    if (condition !== 'limited' && isShared) return UNCOUNTED;
    const taken = await state.places.take([{ kind: 'murmr-connections', name, limit }]);
    return 'leave' in taken ? taken : { refusal: tooManyConnections(limit) };
  };
  return {
    accounts,

    /** Admits a key or refuses it. A refused connection is closed. */
    async admit(key: string): Promise<{ pass: Pass } | { refusal: MurmrRefusal }> {
      const account = accounts.of(key);
      if (!account) return { refusal: INVALID_KEY };
      const { name, condition } = account;
      if (condition === 'noCredits') return { refusal: NEEDS_PLAN };
      const taken = await takeConnection(account).catch(ifUnavailable({ refusal: UNREACHABLE }));
      if ('refusal' in taken) return taken;
      const generation = async (characters: number) => {
        const refused = REFUSES_GENERATIONS[condition];
        if (refused) return refused;
        const isLimited = condition === 'limited';
        if (isLimited && !(await window(name).catch(ifUnavailable(true)))) return TOO_MANY_GENERATIONS;
        accounts.use(account, characters);
        return null;
      };
      return { pass: { generation, leave: taken.leave } };
    },

    /** Admits one generation over REST, in the same window as those of the connections. Throws the refusal of the key. */
    async request(account: KeyAccount): Promise<Lease> {
      const lease = await accounts.admit(account, 'requests');
      if ('refusal' in lease) throw lease.refusal(lease.taken);
      if (account.condition !== 'limited') return lease;
      try {
        if (await window(account.name)) return lease;
        throw tooManyRequests(TOO_MANY_GENERATIONS.message, lease.taken);
      } catch (error) {
        lease.leave();
        throw error instanceof StateUnavailable ? refusal(503, UNREACHABLE.message) : error;
      }
    },

    /**
     * Headers with the characters of a key in this month. Nothing is refused by the count, because the Scale plan is charged
     * for more (murmr-bill-1).
     */
    async quotaOf(account: KeyAccount): Promise<Readonly<Record<string, string>>> {
      const isFree = account.condition === 'noCredits';
      const limit = isFree ? MONTHLY_CHARS.free : MONTHLY_CHARS.scale;
      const spent = isFree ? limit : await accounts.used(account);
      return {
        'X-RateLimit-Limit': `${limit}`,
        'X-RateLimit-Remaining': `${Math.max(0, limit - spent)}`,
        'X-RateLimit-Reset': new Date(accounts.resetMs).toISOString(),
      };
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
    { 'X-Concurrent-Limit': `${MAX_REQUESTS_PER_KEY}`, 'X-Concurrent-Active': `${active}` },
  );
