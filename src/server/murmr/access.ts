import { ALL_SLOTS_OCCUPIED, AUTH_FAILED, RATE_LIMITED } from '#protocol/murmr/wire/errors.ts';
import type { KeyCondition, Keys } from '../keys.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

/** Content of an error frame. */
export interface MurmrRefusal {
  message: string;
  code: number;
}

/** Limits of a key (seed, "Rate Limits"). The server itself enforces the limit of 500 connections. */
export const MAX_CONNECTIONS_PER_KEY = 10;
export const MAX_GENERATIONS_PER_MINUTE = 100;

/** A connection whose key was accepted. */
export interface Pass {
  /** Asks for one generation: null, or the refusal. The connection stays open (`facts 6.3.7`, `6.3.8`). */
  generation(): Promise<MurmrRefusal | null>;
  /** Releases the connection's place. */
  leave(): void;
}

export interface Access {
  /** Admits a key or refuses it. A refused connection is closed. */
  admit(key: string): { pass: Pass } | { refusal: MurmrRefusal };
}

const INVALID_KEY: MurmrRefusal = { message: 'Invalid API key', code: AUTH_FAILED };

/** Short, because a close reason is limited to 123 bytes (RFC 6455, 5.5). */
const NEEDS_PLAN: MurmrRefusal = {
  message: 'WebSocket needs the Realtime or the Scale plan; this key is on the Free plan',
  code: AUTH_FAILED,
};

const TOO_MANY_CONNECTIONS: MurmrRefusal = {
  message: `Too many connections: at most ${MAX_CONNECTIONS_PER_KEY} may be open with one key`,
  code: RATE_LIMITED,
};

const TOO_MANY_GENERATIONS: MurmrRefusal = {
  message: `Rate limit exceeded: at most ${MAX_GENERATIONS_PER_MINUTE} generations a minute with one key`,
  code: RATE_LIMITED,
};

/** Text of the seed. */
const BUSY: MurmrRefusal = { message: 'All slots occupied, try again shortly', code: ALL_SLOTS_OCCUPIED };

/** Keys whose generations are refused. */
const REFUSES_GENERATIONS: Partial<Record<KeyCondition, MurmrRefusal>> = {
  rateLimited: TOO_MANY_GENERATIONS,
  busy: BUSY,
};

/** Access by the keys of `contract.md`. */
export function createAccess(
  keys: Keys,
  window: SlidingWindow = createSlidingWindow({ limit: MAX_GENERATIONS_PER_MINUTE, windowSeconds: 60 }),
): Access {
  /** Open connections by limited key. */
  const connections = new Map<string, number>();

  const limitedPass = (key: string): Pass => {
    connections.set(key, (connections.get(key) ?? 0) + 1);
    let left = false;
    return {
      generation: async () => ((await window(key)) ? null : TOO_MANY_GENERATIONS),
      leave() {
        if (left) return;
        left = true;
        const others = (connections.get(key) ?? 1) - 1;
        if (others > 0) connections.set(key, others);
        else connections.delete(key);
      },
    };
  };

  return {
    admit(key) {
      const condition = keys.conditionOf(key);
      if (condition === null) return { refusal: INVALID_KEY };
      if (condition === 'noCredits') return { refusal: NEEDS_PLAN };
      if (condition === 'limited') {
        return (connections.get(key) ?? 0) < MAX_CONNECTIONS_PER_KEY
          ? { pass: limitedPass(key) }
          : { refusal: TOO_MANY_CONNECTIONS };
      }
      const refusal = REFUSES_GENERATIONS[condition] ?? null;
      return { pass: { generation: async () => refusal, leave: () => {} } };
    },
  };
}
