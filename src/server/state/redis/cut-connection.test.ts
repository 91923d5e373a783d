import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { encodeWav } from '#lib/wav.ts';
import { createKeys } from '../../keys.ts';
import { createLog, type Log } from '../../log.ts';
import type { RunningServer } from '../../running-server.ts';
import { createTestEngine } from '../../test-engine.test-helper.ts';
import { startTestServer } from '../../test-server.test-helper.ts';
import { hasRedis, startRedis, type TestRedis } from './redis-server.test-helper.ts';
import { openRedisState } from './redis-state.ts';

const WITHIN = { timeout: 60_000, interval: 20 };

type Half = 'command' | 'answer';

/** A command with this text, or its answer, loses its second half with its connection. */
interface Cut {
  half: Half;
  text: string;
  /** Such commands that pass before it. */
  skipped: number;
}

const BULK = '$=!';
/** Values of each item. */
const LISTS: Readonly<Record<string, number>> = { '*': 1, '>': 1, '~': 1, '%': 2 };

/** The end of the first value in the protocol of Redis; 0 for an incomplete one. */
function endOfValue(bytes: Buffer, at = 0): number {
  const line = bytes.indexOf('\r\n', at) + 2;
  if (line === 1) return 0;
  const count = Number(bytes.toString('latin1', at + 1, line - 2));
  const kind = String.fromCharCode(bytes[at] ?? 0);
  if (BULK.includes(kind)) {
    const end = count < 0 ? line : line + count + 2;
    return end > bytes.length ? 0 : end;
  }
  let end = line;
  for (let left = (LISTS[kind] ?? 0) * count; left > 0 && end > 0; left -= 1) end = endOfValue(bytes, end);
  return end;
}

/** Calls `take` with each whole value that arrives at a socket. */
function eachValue(socket: Socket, take: (value: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (part) => {
    rest = Buffer.concat([rest, part]);
    for (let end = endOfValue(rest); end > 0; end = endOfValue(rest)) {
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

const firstHalf = (bytes: Buffer): Buffer => bytes.subarray(0, Math.floor(bytes.length / 2));

/** Passes connections on to a Redis, and cuts one of them in the middle of a value. */
async function startProxy(redis: URL) {
  let cut: Cut | null = null;
  /** Which half of this command is cut. */
  const halfOf = (command: Buffer): Half | null => {
    if (!cut || !command.includes(cut.text)) return null;
    cut.skipped -= 1;
    if (cut.skipped >= 0) return null;
    const { half } = cut;
    cut = null;
    return half;
  };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(redis.port), redis.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => other.destroy());
    }
    /** Of the commands without an answer: whether it is the one that is cut. */
    const asked: boolean[] = [];
    eachValue(near, (command) => {
      const half = halfOf(command);
      asked.push(half === 'answer');
      if (half === 'command') far.end(firstHalf(command));
      else far.write(command);
    });
    eachValue(far, (answer) => {
      if (asked.shift()) near.end(firstHalf(answer));
      else near.write(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`redis://127.0.0.1:${port}${redis.pathname}`),
    cut(half: Half, text: string, skipped = 0): void {
      cut = { half, text, skipped };
    },
    isDue: () => cut !== null,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** A call that writes, with its body for a name. */
interface Write {
  path: string;
  headers: Record<string, string>;
  body(name: string): object;
}

const BEARER = { Authorization: 'Bearer local' };
const CARTESIA = { 'X-API-Key': 'local', 'Cartesia-Version': '2026-03-01' };

/** Contents of documents. Their paths list them, too. */
const CONTENTS: Record<string, Write> = {
  'a created voice': { path: '/kugel/v1/voices', headers: BEARER, body: (name) => ({ name }) },
  'a dictionary': { path: '/kugel/v1/dictionaries', headers: BEARER, body: (name) => ({ name }) },
  'a saved voice': {
    path: '/murmr/v1/voices',
    headers: { Authorization: 'Bearer mine' },
    body: (name) => ({
      name,
      audio: Buffer.from(encodeWav(new Int16Array(48_000), 24_000)).toString('base64'),
      ref_text: 'Hello.',
      description: 'mine',
    }),
  },
};

/** Tokens, with the call that one opens. */
const TOKENS: Record<string, Write & { opens?: (token: string) => [path: string, headers: HeadersInit] }> = {
  ElevenLabs: {
    path: '/elevenlabs/v1/single-use-token/tts_websocket',
    headers: { 'xi-api-key': 'local' },
    body: () => ({}),
  },
  Deepgram: {
    path: '/deepgram/v1/auth/grant',
    headers: { Authorization: 'Token local' },
    body: () => ({}),
    opens: (token) => ['/deepgram/v1/auth/token', { Authorization: `bearer ${token}` }],
  },
  Cartesia: {
    path: '/cartesia/access-token',
    headers: CARTESIA,
    body: () => ({ grants: { tts: true } }),
    opens: (token) => ['/cartesia/voices', { ...CARTESIA, 'X-API-Key': token }],
  },
};

const HALVES: readonly Half[] = ['command', 'answer'];
const casesOf = <T>(table: Record<string, T>): [string, Half, T][] =>
  Object.entries(table).flatMap(([name, each]) =>
    HALVES.map((half): [string, Half, T] => [name, half, each]),
  );

// A server comes back a second after a cut, so that tests run beside one another.
describe.skipIf(!hasRedis()).concurrent('a connection to Redis that breaks in the middle', () => {
  let redis: TestRedis;
  let databases = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  /** A database of its own, and a proxy in front of it. */
  async function openDatabase({ onTestFinished }: TestContext) {
    const url = new URL(`/${databases}`, redis.url);
    databases += 1;
    const proxy = await startProxy(url);
    onTestFinished(() => proxy.stop());
    return { url, proxy };
  }

  /** A server behind the proxy, and one that has no cuts. */
  async function openServers(context: TestContext) {
    const { url, proxy } = await openDatabase(context);
    const start = async (at: URL): Promise<RunningServer> => {
      const server = await startTestServer({
        engine: createTestEngine(),
        keys: createKeys({ keys: ['mine'], only: false }),
        state: await openRedisState({ url: at, log: createLog('silent') }),
      });
      context.onTestFinished(() => server.stop());
      return server;
    };
    const [server, other] = await Promise.all([start(proxy.url), start(url)]);
    const write = async ({ path, headers, body }: Write, name = '') => {
      const response = await fetch(`${server.http}${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body(name)),
      });
      const retryAfter = response.headers.get('retry-after');
      return { isDone: response.ok, refusal: [response.status, retryAfter], body: await response.json() };
    };
    const isBack = () =>
      vi.waitFor(async () => expect((await fetch(`${server.http}/ready`)).status).toBe(200), WITHIN);
    return { proxy, server, other, write, isBack };
  }

  const namesAt = async ({ http }: RunningServer, { path, headers }: Write): Promise<unknown[]> => {
    const body = await (await fetch(`${http}${path}?include_public=false`, { headers })).json();
    const list = Object.values<{ name: string }[]>(Array.isArray(body) ? [body] : body).find(Array.isArray);
    return (list ?? []).map(({ name }) => name).filter((name) => /^(?:first|broken|next)$/.test(name));
  };

  it.for(casesOf(CONTENTS))(
    '%s, in its %s, is reported as failed, and is there once at most',
    async (given, context) => {
      const [, half, content] = given;
      const { proxy, server, other, write, isBack } = await openServers(context);
      expect((await write(content, 'first')).isDone).toBe(true);
      proxy.cut(half, 'broken');
      expect((await write(content, 'broken')).refusal).toEqual([503, '5']);
      expect(proxy.isDue()).toBe(false);
      await isBack();
      expect((await write(content, 'next')).isDone).toBe(true);
      // Redis has run all that it has read whole.
      const kept = half === 'answer' ? ['broken', 'first', 'next'] : ['first', 'next'];
      for (const each of [server, other])
        await vi.waitFor(async () => expect((await namesAt(each, content)).sort()).toEqual(kept), WITHIN);
    },
  );

  it.for(casesOf(TOKENS))('a token of %s, in its %s, is not given out', async ([, half, token], context) => {
    const { proxy, server, other, write, isBack } = await openServers(context);
    expect((await write(token)).isDone).toBe(true);
    proxy.cut(half, ':notes:');
    const broken = await write(token);
    expect(broken.refusal).toEqual([503, '5']);
    expect(JSON.stringify(broken.body)).not.toContain('token');
    await isBack();
    const { isDone, body } = await write(token);
    expect(isDone).toBe(true);
    const [path, headers] = token.opens?.(body.token ?? body.access_token) ?? ['/health', {}];
    for (const { http } of [server, other]) expect((await fetch(http + path, { headers })).status).toBe(200);
  });

  it.for(HALVES)(
    'a sum, in a %s, has all of an addition or nothing of it, and an end',
    async (half, context) => {
      const { url, proxy } = await openDatabase(context);
      const said: string[] = [];
      const say = (_: object, line: string) => void said.push(line);
      const log: Log = { info: say, warn: say, error: say, child: () => log };
      const state = await openRedisState({ url: proxy.url, log });
      const client = new Redis(url.href);
      const kept = async () => {
        const keys = await client.keys('voicewire:1:sums:*');
        const sums = keys.map(async (key) => ({
          sum: Number(await client.get(key)),
          endsMs: await client.pttl(key),
        }));
        return Promise.all(sums);
      };
      const add = (name: string) => state.sums.add(name, 3, Date.now() + 3_600_000);
      add('first');
      await vi.waitFor(async () => expect(await kept()).toHaveLength(1), WITHIN);
      // An addition may be several commands.
      for (const skipped of [0, 1]) {
        proxy.cut(half, ':sums:', skipped);
        for (const round of [1, 2]) {
          const count = said.length;
          add(`sum ${skipped}`);
          const isOver = async () => said.length > count || (await kept()).length > 1 + skipped;
          await vi.waitFor(async () => expect(await isOver()).toBe(true), WITHIN);
          for (const { sum, endsMs } of await kept()) {
            expect([3, 6]).toContain(sum);
            expect(endsMs).toBeGreaterThan(0);
          }
          if (round === 2) await vi.waitFor(() => expect(proxy.isDue()).toBe(false), WITHIN);
        }
        await vi.waitFor(() => expect(state.problem()).toBeNull(), WITHIN);
      }
      await client.quit();
      await state.close();
    },
  );
});
