import type { Redis, Result } from 'ioredis';

/** Sets the clock of a script, in milliseconds. Servers share the clock of Redis, because their own ones differ. */
const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * Takes a place in every set, or in none. Members are places, scores the end of their leases.
 * KEYS: sets. ARGV: place, lease in ms, the limit of each set.
 * Returns the number of the first full set and its size; otherwise 0, and the size of the last set before.
 */
const TAKE_PLACES = `${NOW}
local taken = 0
for at, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  taken = redis.call('ZCARD', key)
  if taken >= tonumber(ARGV[at + 2]) then return {at, taken} end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end
return {0, taken}`;

/** Renews the leases of places of one set, also of those that Redis has lost. KEYS: set. ARGV: lease in ms, places. */
const RENEW_PLACES = `${NOW}
for at = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[at]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/**
 * Replaces a document that nobody else has changed, and publishes its name. KEYS: documents. ARGV: name, expected version,
 * content, channel. Returns the new version, or 0.
 */
const REPLACE_DOCUMENT = `
local version = tonumber(redis.call('HGET', KEYS[1], ARGV[1] .. ':version') or 0)
if version ~= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], ARGV[1] .. ':version', version + 1)
redis.call('PUBLISH', ARGV[4], ARGV[1])
return version + 1`;

/**
 * Adds to a sum that is forgotten at a time. One step, because a connection that breaks between two would leave a sum for
 * ever. KEYS: sum. ARGV: amount, time in ms. Returns the sum.
 */
const ADD_TO_SUM = `
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return sum`;

/**
 * Keeps a note, and forgets the oldest ones of the same peer. KEYS: the note, then a set for each name of the peer. ARGV: text,
 * seconds, the limit of each set.
 */
const KEEP_NOTE = `${NOW}
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
for at = 2, #KEYS do
  redis.call('ZADD', KEYS[at], now, KEYS[1])
  redis.call('EXPIRE', KEYS[at], ARGV[2])
  local excess = redis.call('ZCARD', KEYS[at]) - ARGV[3]
  if excess > 0 then
    for _, oldest in ipairs(redis.call('ZRANGE', KEYS[at], 0, excess - 1)) do redis.call('DEL', oldest) end
    redis.call('ZREMRANGEBYRANK', KEYS[at], 0, excess - 1)
  end
end`;

/** Returns a note and forgets it. KEYS: the note. */
const TAKE_NOTE = `
local text = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
return text`;

/**
 * A limiter script of rate-limiter-flexible with an exact sliding window: a set of times instead of a counter.
 * KEYS: set. ARGV: points, window in seconds, limit. Returns the count with this one, and ms until the oldest leaves.
 */
export const SLIDING_WINDOW = `${NOW}
local window = ARGV[2] * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local taken = redis.call('ZCARD', KEYS[1])
if taken < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], now, now .. ':' .. taken)
  redis.call('PEXPIRE', KEYS[1], window)
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return {taken + 1, oldest + window - now}`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takePlaces(keys: number, ...keysAndValues: (string | number)[]): Result<[number, number], Context>;
    renewPlaces(key: string, leaseMs: number, ...places: string[]): Result<null, Context>;
    addToSum(key: string, amount: number, untilMs: number): Result<number, Context>;
    keepNote(keys: number, ...keysAndValues: (string | number)[]): Result<null, Context>;
    takeNote(key: string): Result<string | null, Context>;
    replaceDocument(
      key: string,
      name: string,
      version: number,
      content: string,
      channel: string,
    ): Result<number, Context>;
  }
}

/** Adds the scripts to a client, which sends each of them once. */
export function defineScripts(redis: Redis): void {
  redis.defineCommand('takePlaces', { lua: TAKE_PLACES });
  redis.defineCommand('renewPlaces', { numberOfKeys: 1, lua: RENEW_PLACES });
  redis.defineCommand('addToSum', { numberOfKeys: 1, lua: ADD_TO_SUM });
  redis.defineCommand('keepNote', { lua: KEEP_NOTE });
  redis.defineCommand('takeNote', { numberOfKeys: 1, lua: TAKE_NOTE });
  redis.defineCommand('replaceDocument', { numberOfKeys: 1, lua: REPLACE_DOCUMENT });
}
