import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { endWithUs } from '#lib/testing/end-with-us.ts';

const PROGRAM = 'redis-server';
/** Ports that are tried, because another program may take a free one first. */
const MAX_PORTS = 5;

/** Whether this machine has a Redis. A test file that asks says so where it has none. */
export function hasRedis(): boolean {
  isThere ??= spawnSync(PROGRAM, ['--version']).status === 0;
  if (!isThere) process.stderr.write(`No ${PROGRAM} on this machine: tests with a Redis are skipped.\n`);
  return isThere;
}
let isThere: boolean | undefined;

/** A Redis of its own, which keeps nothing on disk. */
export interface TestRedis {
  url: URL;
  pid: number;
  /** Forgets all that it holds. */
  flush(): Promise<void>;
  /** Ends it at once, with all that it holds. */
  kill(): Promise<void>;
  /** Starts an empty one at the same address. */
  restart(): Promise<void>;
  /** Lets it hang, and go on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startRedis(...options: string[]): Promise<TestRedis> {
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-redis-'));
  let port = 0;
  let child: ChildProcess;
  /** False where Redis ended, because something else had the port meanwhile. */
  const start = async (): Promise<boolean> => {
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', directory];
    child = endWithUs(spawn(PROGRAM, [...settings, ...options], { stdio: ['ignore', 'pipe', 'inherit'] }));
    if (!child.stdout) throw new Error('Redis has no standard output.');
    let isReady = false;
    for await (const line of createInterface({ input: child.stdout })) {
      isReady = line.includes('Ready to accept connections');
      if (isReady) break;
    }
    child.stdout.resume();
    return isReady;
  };
  for (let attempt = 1; ; attempt += 1) {
    port = await freePort();
    if (await start()) break;
    if (attempt === MAX_PORTS) throw new Error(`${PROGRAM} does not start.`);
  }
  const url = new URL(`redis://127.0.0.1:${port}`);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url,
    get pid() {
      return child.pid ?? 0;
    },
    async flush() {
      const client = new Redis(url.href);
      await client.flushall();
      await client.quit();
    },
    kill,
    async restart() {
      if (!(await start())) throw new Error(`${PROGRAM} does not start again at port ${port}.`);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      await kill();
      await rm(directory, { recursive: true });
    },
  };
}

/** A port that nobody uses at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.');
  return address.port;
}
