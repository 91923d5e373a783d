import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { hasRedis, startRedis, type TestRedis } from '#server/state/redis/redis-server.test-helper.ts';
import { type LocalServer, startLocalServer } from '../bench/local-server.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { KUGEL_MULTI, KUGEL_STREAM, murmrWith, startTurnClient } from './turn-client.ts';

/** Real processes behind a balancer. Times are those of a busy machine. */
const LIMIT_MS = 120_000;
const WITHIN = { timeout: 60_000, interval: 20 };
/** The vendor's limit of connections with one key. */
const CONNECTIONS = 10;

let page: string;
let redis: TestRedis;
let one: LocalServer;
let two: LocalServer;
let balancer: Balancer;

/** What ends everything that was started, also where a test fails. */
const ends: (() => Promise<unknown>)[] = [];

/** @param again a server that has ended, whose port is used again, because the balancer knows no other */
function start(again?: LocalServer): Promise<LocalServer> {
  const PORT = again ? new URL(again.http).port : '0';
  const server = startLocalServer({ VOICEWIRE_REDIS: redis.url.href, HOST: '', PORT }, page);
  ends.push(() => server.then(({ kill }) => kill()));
  return server;
}

/** A connection with a limited key that has spoken a turn, or the code with which it was closed. */
async function limited(base: string): Promise<WebSocket | number> {
  const { path, greeting, turn, isEnd } = murmrWith('local-limited');
  const socket = new WebSocket(`${base}${path}`);
  const closed = once(socket, 'close').then(([code]) => Number(code));
  const spoken = new Promise<WebSocket>((resolve) => {
    socket.on('message', (data) => {
      if (isEnd(JSON.parse(String(data)))) resolve(socket);
    });
  });
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open'), closed]);
  if (socket.readyState === WebSocket.OPEN)
    for (const message of [...greeting, ...turn(1)]) socket.send(JSON.stringify(message));
  return Promise.race([spoken, closed]);
}

const isOpen = (outcome: WebSocket | number): outcome is WebSocket => typeof outcome !== 'number';

describe.skipIf(!hasRedis())('two servers behind one port', () => {
  beforeAll(async () => {
    page = await mkdtemp(join(tmpdir(), 'voicewire-fleet-'));
    ends.push(() => rm(page, { recursive: true }));
    await writeFile(join(page, 'index.html'), '<!doctype html><title>Voicewire</title>');
    redis = await startRedis();
    ends.push(() => redis.stop());
    [one, two] = await Promise.all([start(), start()]);
    balancer = await startBalancer([one.http, two.http]);
    ends.push(() => balancer.close());
  }, LIMIT_MS);

  afterAll(async () => {
    for (const end of ends.reverse()) await end().catch(() => {});
  }, LIMIT_MS);

  it(
    'lose no turn that was begun on a rolling restart under load, and close with the code of the vendor',
    async () => {
      let pauseMs = 0;
      const dialects = [KUGEL_STREAM, KUGEL_STREAM, KUGEL_MULTI, murmrWith('local')];
      const clients = Array.from({ length: 8 }, (_, at) =>
        startTurnClient(balancer.ws, dialects[at % dialects.length] ?? KUGEL_STREAM, () => pauseMs),
      );
      const allSpeak = (turns: number) => {
        const goals = clients.map((client) => client.done() + turns);
        return vi.waitFor(() => {
          for (const [at, client] of clients.entries())
            expect(client.done()).toBeGreaterThanOrEqual(goals[at] ?? 0);
        }, WITHIN);
      };
      await allSpeak(2);
      const stop = async (server: LocalServer) => {
        await server.stop();
        expect(server.status()).toBe(0);
      };
      await stop(one);
      await allSpeak(1);
      // Leaves the processor to the start.
      pauseMs = 500;
      one = await start(one);
      await vi.waitFor(() => expect(balancer.ready()).toHaveLength(2), WITHIN);
      pauseMs = 0;
      await allSpeak(2);
      await stop(two);
      await allSpeak(1);
      await Promise.all(clients.map((client) => client.stop()));

      for (const { dialect, lost, closes, errors } of clients) {
        expect(lost()).toBe(0);
        const codes = [dialect.goingAway, dialect.turnedAway];
        expect(closes.filter((code) => !codes.includes(code))).toEqual([]);
        expect(closes).toContain(dialect.goingAway);
        expect(errors).toEqual([]);
      }
    },
    LIMIT_MS,
  );

  it(
    'hold limits together, and free the places of a killed server when its lease ends',
    async () => {
      two = await start(two);
      await vi.waitFor(() => expect(balancer.ready()).toHaveLength(2), WITHIN);
      const outcomes = await Promise.all(Array.from({ length: CONNECTIONS + 4 }, () => limited(balancer.ws)));
      expect(outcomes.filter((each) => !isOpen(each))).toEqual([4004, 4004, 4004, 4004]);
      const before = outcomes.filter(isOpen);

      await one.kill();
      await vi.waitFor(() => expect(balancer.ready()).toEqual([two.http]), WITHIN);
      // Those of the other server go on.
      const survivors = before.filter(({ readyState }) => readyState === WebSocket.OPEN);
      expect(survivors.length).toBeGreaterThan(0);
      expect(survivors.length).toBeLessThan(CONNECTIONS);
      const inside = [...survivors];
      while (inside.length < CONNECTIONS) {
        const next = await limited(balancer.ws);
        if (isOpen(next)) inside.push(next);
        else expect(next).toBe(4004);
      }
      expect(await limited(balancer.ws)).toBe(4004);
      for (const socket of inside) socket.terminate();
    },
    LIMIT_MS,
  );
});
