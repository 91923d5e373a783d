import { once } from 'node:events';
import { cpus } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { percentile } from '#lib/statistics/percentiles.ts';
import { hasRedis, startRedis, type TestRedis } from '#server/state/redis/redis-server.test-helper.ts';
import { startBalancer } from '../fleet/balancer.ts';
import { type LocalServer, metricOf, startLocalServer } from './local-server.ts';
import { holdSession } from './paced-session.ts';
import { ms, printTable, us } from './table.ts';
import { threadTimes } from './thread-times.ts';

/** Sessions that are tried, until they are not held. */
const STEPS = [50, 100, 150, 200, 300, 400];
const MEASURED_MS = 20_000;
/** Sessions begin within the length of one turn, so that their turns do not begin together. */
const SPREAD_MS = 12_000;
/** A step is held where so many turns are heard without a gap, and so many begin within a second. */
const HELD_SHARE = 0.99;
const FIRST_AUDIO_MS = 1000;

const KEY = 'bench';
const TURNS = 300;
/** Below the limit of a minute. */
const LIMITED_TURNS = 90;

/** Of every server. Capture is off, as it is behind a balancer. */
const ENVIRONMENT = {
  VOICEWIRE_METRICS: 'on',
  VOICEWIRE_SOCKETS: '10000',
  VOICEWIRE_KEYS: KEY,
  VOICEWIRE_CAPTURE: 'off',
};

type Figures = Awaited<ReturnType<typeof measureStep>>;

/** Sessions in real time on one to three processes, and what Redis costs a turn. */
export async function benchFleet(steps: readonly number[] = STEPS): Promise<void> {
  if (!hasRedis()) return;
  const rows: Record<string, string>[] = [];
  for (const processes of [1, 2, 3]) rows.push(...(await holdBy(processes, steps)));
  printTable(
    'Fleet: sessions held in real time by processes on this machine',
    'Each session speaks a text of 12 s again and again, at the pace at which it is heard. Clients, balancer and Redis share ' +
      'the processor. Times of threads are cores in use, of all servers together. The last step of each count is not held.',
    rows,
  );
  await benchRedisCost();
}

async function withFleet<T>(
  processes: number,
  use: (redis: TestRedis, servers: readonly LocalServer[]) => Promise<T>,
): Promise<T> {
  const redis = await startRedis();
  const servers: LocalServer[] = [];
  try {
    const environment = { ...ENVIRONMENT, VOICEWIRE_REDIS: redis.url.href };
    for (let at = 0; at < processes; at += 1) servers.push(await startLocalServer(environment));
    return await use(redis, servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await redis.stop();
  }
}

const holdBy = (processes: number, steps: readonly number[]): Promise<Record<string, string>[]> =>
  withFleet(processes, async (redis, servers) => {
    const balancer = await startBalancer(servers.map(({ http }) => http));
    const rows: Record<string, string>[] = [];
    try {
      for (const sessions of steps) {
        const figures = await measureStep(sessions, { redis, servers, balancer });
        rows.push(rowOf(processes, sessions, figures));
        if (!figures.isHeld) break;
      }
      return rows;
    } finally {
      await balancer.close();
    }
  });

const rowOf = (processes: number, sessions: number, figures: Figures): Record<string, string> => ({
  processes: String(processes),
  sessions: String(sessions),
  held: figures.isHeld ? 'yes' : 'no',
  turns: String(figures.turns),
  'with gaps': String(figures.underruns),
  'first audio p50': ms(figures.firstAudioP50Ms),
  p95: ms(figures.firstAudioP95Ms),
  'event loops': figures.loopCores.toFixed(2),
  'engine threads': figures.engineCores.toFixed(2),
  'loop delay p99': ms(figures.loopDelayMs),
  Redis: figures.redisCores.toFixed(3),
  clients: figures.clientCores.toFixed(2),
  'most used': mostUsed(figures),
});

/** The part that takes the most of the processor, and how much of the processor is in use. */
function mostUsed({ loopCores, engineCores, redisCores, clientCores }: Figures): string {
  const parts = {
    'event loops': loopCores,
    'engine threads': engineCores,
    Redis: redisCores,
    clients: clientCores,
  };
  const [name = ''] = Object.entries(parts).reduce((most, each) => (each[1] > most[1] ? each : most));
  const used = (loopCores + engineCores + redisCores + clientCores) / cpus().length;
  return `${name}, ${Math.round(used * 100)} % of all cores`;
}

interface Fleet {
  redis: TestRedis;
  servers: readonly LocalServer[];
  balancer: { ws: string };
}

async function measureStep(sessions: number, { redis, servers, balancer }: Fleet) {
  const timesOf = () => ({
    atMs: performance.now(),
    servers: servers.map(({ pid }) => threadTimes(pid)),
    redis: threadTimes(redis.pid),
    clients: threadTimes(process.pid),
  });
  const untilMs = performance.now() + SPREAD_MS + MEASURED_MS;
  const running = Array.from({ length: sessions }, async (_, at) => {
    await setTimeout((SPREAD_MS * at) / sessions);
    return holdSession(balancer, untilMs);
  });
  const whole = Promise.all(running);
  await Promise.race([setTimeout(SPREAD_MS), whole]);
  const loopDelays = () =>
    Promise.all(servers.map((server) => metricOf(server, 'nodejs_eventloop_lag_p99_seconds')));
  // A reading begins the next period.
  await loopDelays();
  const before = timesOf();
  await Promise.race([setTimeout(MEASURED_MS), whole]);
  const after = timesOf();
  const delays = await loopDelays();
  const heard = await whole;

  const seconds = (after.atMs - before.atMs) / 1000;
  const cores = (part: 'main' | 'others') =>
    after.servers.reduce((sum, times, at) => sum + times[part] - (before.servers[at]?.[part] ?? 0), 0) /
    seconds;
  const firstAudio = heard.flatMap(({ firstAudioMs }) => firstAudioMs);
  const turns = firstAudio.length;
  const underruns = heard.reduce((sum, each) => sum + each.underruns, 0);
  const inTime = firstAudio.filter((time) => time <= FIRST_AUDIO_MS).length;
  return {
    turns,
    underruns,
    isHeld: underruns <= (1 - HELD_SHARE) * turns && inTime >= HELD_SHARE * turns,
    firstAudioP50Ms: percentile(firstAudio, 0.5),
    firstAudioP95Ms: percentile(firstAudio, 0.95),
    loopCores: cores('main'),
    engineCores: cores('others'),
    redisCores: (after.redis.main - before.redis.main) / seconds,
    clientCores: (after.clients.main - before.clients.main) / seconds,
    loopDelayMs: Math.max(...delays) * 1000,
  };
}

/** A murmr session that speaks one short text at a time. */
async function openMurmr(server: LocalServer, api_key: string): Promise<() => Promise<number>> {
  const socket = new WebSocket(`${server.ws}/murmr/v1/realtime`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'config', api_key, voice_description: 'calm', language: 'English' }));
  await once(socket, 'message');
  return () =>
    new Promise((resolve, reject) => {
      const sentMs = performance.now();
      let firstMs = Number.NaN;
      const listen = (data: Buffer) => {
        if (Number.isNaN(firstMs)) firstMs = performance.now() - sentMs;
        if (data.includes('"error"')) reject(new Error(String(data)));
        if (!data.includes('"done"')) return;
        socket.off('message', listen);
        resolve(firstMs);
      };
      socket.on('message', listen);
      socket.send('{"type":"text","text":"One more turn."}');
      socket.send('{"type":"flush"}');
    });
}

/** Turns on a server with Redis and on one without, in turn, so that the load of the machine is the same for both. */
const benchRedisCost = (): Promise<void> =>
  withFleet(1, async (redis, servers) => {
    const alone = await startLocalServer(ENVIRONMENT);
    const client = new Redis(redis.url.href);
    try {
      const [shared] = servers;
      if (!shared) return;
      const rows: Record<string, string>[] = [];
      for (const [name, key, turns] of [
        ['local, which has no limit', 'local', TURNS],
        ['a key of VOICEWIRE_KEYS', KEY, TURNS],
        ['local-limited', 'local-limited', LIMITED_TURNS],
      ] as const) {
        const ways = [await openMurmr(alone, key), await openMurmr(shared, key)];
        const times: number[][] = [[], []];
        for (const way of ways) await way();
        const before = await commandsOf(client);
        for (let turn = 0; turn < turns; turn += 1)
          for (const [at, way] of ways.entries()) times[at]?.push(await way());
        const after = await commandsOf(client);
        const [without = Number.NaN, withRedis = Number.NaN] = times.map((each) => percentile(each, 0.5));
        rows.push({
          key: name,
          turns: String(turns),
          'first audio without': ms(without),
          'with Redis': ms(withRedis),
          'added at the median': us(1000 * (withRedis - without)),
          'commands a turn': ((after.calls - before.calls) / turns).toFixed(1),
          'time in Redis a turn': us((after.us - before.us) / turns),
        });
      }
      const count = await metricOf(shared, 'voicewire_redis_exchange_seconds_count');
      const sum = await metricOf(shared, 'voicewire_redis_exchange_seconds_sum');
      printTable(
        'Fleet: what Redis costs a turn of murmr',
        'Both servers are measured in turn. Kugel has no limits: its turns need no Redis, its handshakes do. ' +
          `An exchange with Redis took ${us((sum / count) * 1e6)} on average.`,
        rows,
      );
    } finally {
      await client.quit();
      await alone.stop();
    }
  });

/** The commands of a turn. What scripts call inside is part of `evalsha`. */
const TURN_COMMANDS = ['evalsha', 'incrby', 'pexpireat'];

/** Calls and time of those commands in Redis so far. */
async function commandsOf(client: Redis): Promise<{ calls: number; us: number }> {
  const text = await client.info('commandstats');
  let calls = 0;
  let time = 0;
  for (const [, name = '', count, usec] of text.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)) {
    if (!TURN_COMMANDS.includes(name)) continue;
    calls += Number(count);
    time += Number(usec);
  }
  return { calls, us: time };
}
