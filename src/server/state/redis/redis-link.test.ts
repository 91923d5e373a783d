import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../../log.ts';
import { StateUnavailable } from '../state.ts';
import { openRedisLink } from './redis-link.ts';

/** A server of a few lines in place of Redis, which a test can let hang. */
let server: Server;
let isHanging: boolean;
const sockets = new Set<Socket>();

const ANSWERS: Readonly<Record<string, string>> = {
  INFO: '$0\r\n\r\n',
  SUBSCRIBE: '*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n',
};

beforeEach(async () => {
  isHanging = false;
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (isHanging) return;
      for (const [, name = ''] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        socket.write(ANSWERS[name.toUpperCase()] ?? '+OK\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((closed) => server.close(closed));
});

it('refuses what Redis does not answer within a second, and further exchanges at once', async () => {
  const { port } = server.address() as AddressInfo;
  const link = await openRedisLink({
    url: new URL(`redis://127.0.0.1:${port}`),
    channel: 'c',
    log: createLog('silent'),
    watch: () => {},
  });
  const ask = () => link.run((redis) => redis.get('a name'));
  expect(await ask()).toBe('OK');
  isHanging = true;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answer = expect(ask()).rejects.toThrow(StateUnavailable);
  await vi.advanceTimersByTimeAsync(999);
  await new Promise(setImmediate);
  expect(link.isUp()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  await answer;
  expect(link.isUp()).toBe(false);
  await expect(ask()).rejects.toThrow('Redis is away');
  const closed = link.close();
  await vi.advanceTimersByTimeAsync(1000);
  await closed;
});
