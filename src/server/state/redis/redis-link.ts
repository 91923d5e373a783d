import { Redis } from 'ioredis';
import { StartError } from '../../environment.ts';
import type { Log } from '../../log.ts';
import { StateUnavailable } from '../state.ts';
import { redisKey } from './redis-names.ts';

/** An exchange without an answer for this long has failed, so that a handshake is answered while Redis hangs. */
const ANSWER_WITHIN_MS = 1000;
/** A start that Redis has not answered within this time fails. */
const START_WITHIN_MS = 10_000;
const MAX_RETRY_MS = 1000;

/** Receives the duration of every exchange with Redis, and whether it was answered. */
export type WatchRedis = (seconds: number, answered: boolean) => void;

interface Options {
  url: URL;
  /** Carries the messages of other servers. */
  channel: string;
  log: Log;
  watch: WatchRedis;
}

/** Runs commands. Rejects with `StateUnavailable`, at once where Redis is away. */
export type RunCommands = <T>(commands: (redis: Redis) => Promise<T>) => Promise<T>;

/** The connections to one Redis. */
export interface RedisLink {
  /** For libraries that send commands themselves, within `run`. */
  readonly client: Redis;
  isUp(): boolean;
  run: RunCommands;
  /** Calls a task after every message, and whenever messages may have been lost. */
  onMessage(task: () => void): void;
  /** Restores what Redis missed, before it counts as up again. */
  onReturn(task: (run: RunCommands) => Promise<void>): void;
  close(): Promise<void>;
}

/** Connects to a Redis. @throws StartError in one line, where it cannot be reached or refuses this server */
export async function openRedisLink({ url, channel, log, watch }: Options): Promise<RedisLink> {
  let isUp = false;
  let isClosed = false;
  let recovery: NodeJS.Timeout | undefined;
  const returnTasks: ((run: RunCommands) => Promise<void>)[] = [];

  const commands = new Redis(url.href, {
    lazyConnect: true,
    connectionName: 'voicewire',
    // A command that waited for Redis to come back would answer a client that has left.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, MAX_RETRY_MS),
  });
  const messages = commands.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null });

  const exchange = async <T>(run: (redis: Redis) => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const seconds = () => (performance.now() - startedMs) / 1000;
    try {
      const answer = await within(ANSWER_WITHIN_MS, run(commands));
      watch(seconds(), true);
      return answer;
    } catch (error) {
      watch(seconds(), false);
      // Refusals of the rate limiter are no errors.
      if (!(error instanceof Error)) throw error;
      lost(codeOf(error));
      throw new StateUnavailable('Redis does not answer');
    }
  };

  const lost = (why: string) => {
    if (!isUp || isClosed) return;
    isUp = false;
    log.warn({ why }, 'Redis cannot be reached: new sessions are refused, those that were begun go on');
    recoverLater();
  };
  const recover = async () => {
    if (isUp || isClosed) return;
    try {
      // A Redis that only reads would answer a ping.
      await exchange((redis) => redis.set(redisKey('probe'), '', 'PX', MAX_RETRY_MS));
      await Promise.all(returnTasks.map((task) => task(exchange)));
      if (isClosed) return;
      isUp = true;
      log.warn({}, 'Redis can be reached again');
    } catch {
      recoverLater();
    }
  };
  const recoverLater = () => {
    clearTimeout(recovery);
    if (!isClosed) recovery = setTimeout(() => void recover(), MAX_RETRY_MS);
  };

  let firstError: Error | undefined;
  // Both events belong to every failed attempt to connect.
  for (const each of [commands, messages]) each.on('error', (error: Error) => (firstError ??= error));
  commands.on('close', () => lost('closed'));

  try {
    const connected = async () => {
      await commands.connect();
      await messages.connect();
      await messages.subscribe(channel);
    };
    await within(START_WITHIN_MS, connected());
  } catch (error) {
    isClosed = true;
    commands.disconnect();
    messages.disconnect();
    throw new StartError(startProblem(url, firstError ?? error));
  }
  isUp = true;
  return {
    client: commands,
    isUp: () => isUp,
    run: (run) => (isUp ? exchange(run) : Promise.reject(new StateUnavailable('Redis is away'))),
    onMessage(task) {
      messages.on('message', task);
      messages.on('ready', task);
    },
    onReturn: (task) => returnTasks.push(task),
    async close() {
      isClosed = true;
      isUp = false;
      clearTimeout(recovery);
      // Waits for commands without an answer.
      await within(ANSWER_WITHIN_MS, commands.quit()).catch(() => commands.disconnect());
      messages.disconnect();
    },
  };
}

/** Rejects after a time, but never because the event loop was busy while the answer arrived. */
async function within<T>(timeMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeOut = new Promise<never>((_, reject) => {
    // Immediates run after what has arrived.
    timer = setTimeout(() => setImmediate(() => reject(new Error('no answer'))), timeMs);
  });
  return Promise.race([answer, timeOut]).finally(() => clearTimeout(timer));
}

/** Names the address without user and password. */
function startProblem({ protocol, host }: URL, error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  const refusal = /^(NOAUTH|WRONGPASS|NOPERM|ERR)\b/.exec(text)?.[1];
  const where = `${protocol}//${host}`;
  return refusal
    ? `VOICEWIRE_REDIS: ${where} refuses this server (${refusal}). Check user, password and database in the address.`
    : `VOICEWIRE_REDIS: ${where} cannot be reached (${codeOf(error)}). Start Redis there, or name another address.`;
}

/** Never holds a key, because every name that is stored is a digest. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  if ('code' in error) return String(error.code);
  return error.name === 'ReplyError' ? (error.message.split(' ')[0] ?? '') : error.message;
};
