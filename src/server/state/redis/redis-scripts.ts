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
 * Counts notes like `Shares`, whose loop over all notes would hold up Redis. KEYS: a note, then the set of all notes. Names that
 * begin with its name are sets of counts: of names; of the holders with a name; and of the notes of a holder, by time.
 */
const COUNT_NOTES = `
local all, sums = KEYS[2], KEYS[2] .. ':sums'
local function count(holder, by)
  for name in string.gmatch(holder, '%S+') do
    for set, member in pairs({[sums] = name, [all .. ':holders:' .. name] = holder}) do
      redis.call('ZINCRBY', set, by, member)
      redis.call('ZREMRANGEBYSCORE', set, '-inf', 0)
    end
  end
end
local function forget(note, holder)
  redis.call('DEL', note)
  if not holder or redis.call('ZREM', all, note .. '\\n' .. holder) == 0 then return end
  redis.call('ZREM', all .. ':notes:' .. holder, note)
  count(holder, -1)
end
`;

/**
 * Keeps a note. Where there are too many, forgets the oldest one of the holder with the largest share. KEYS: see above.
 * ARGV: text, names of the holder with spaces between them, seconds, the limit of all notes.
 */
const KEEP_NOTE = `${NOW}${COUNT_NOTES}
local note, text, holder, seconds = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
forget(note, redis.call('HGET', note, 'holder'))
redis.call('HSET', note, 'text', text, 'holder', holder)
redis.call('ZADD', all, now, note .. '\\n' .. holder)
redis.call('ZADD', all .. ':notes:' .. holder, now, note)
count(holder, 1)
local used = {note, all, sums, all .. ':notes:' .. holder}
for name in string.gmatch(holder, '%S+') do table.insert(used, all .. ':holders:' .. name) end
for _, key in ipairs(used) do redis.call('EXPIRE', key, seconds) end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', all, '-inf', now - seconds * 1000)) do
  forget(string.match(member, '^(.*)\\n(.*)$'))
end
if redis.call('ZCARD', all) <= tonumber(ARGV[4]) then return end
local name = redis.call('ZREVRANGE', sums, 0, 0)[1]
local most = redis.call('ZREVRANGE', all .. ':holders:' .. name, 0, 0)[1]
forget(redis.call('ZRANGE', all .. ':notes:' .. most, 0, 0)[1], most)`;

/** Returns a note and forgets it. KEYS: see above. */
const TAKE_NOTE = `${COUNT_NOTES}
local text = redis.call('HGET', KEYS[1], 'text')
forget(KEYS[1], redis.call('HGET', KEYS[1], 'holder'))
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
    keepNote(
      key: string,
      all: string,
      text: string,
      holder: string,
      seconds: number,
      limit: number,
    ): Result<null, Context>;
    takeNote(key: string, all: string): Result<string | null, Context>;
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
  redis.defineCommand('keepNote', { numberOfKeys: 2, lua: KEEP_NOTE });
  redis.defineCommand('takeNote', { numberOfKeys: 2, lua: TAKE_NOTE });
  redis.defineCommand('replaceDocument', { numberOfKeys: 1, lua: REPLACE_DOCUMENT });
}
