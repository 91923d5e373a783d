import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

/** `contract.md`, "Start": the program itself, as a process of its own. */

const MAIN = fileURLToPath(new URL('./voicewire.ts', import.meta.url));
/** A start on a busy machine. */
const LIMIT_MS = 60_000;

let directory: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Voicewire</title>');
});

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

function start(variables: Record<string, string>, page = directory, preload: readonly string[] = []) {
  const child = spawn(process.execPath, ['--import', 'tsx', ...preload, MAIN, '--page', page], {
    env: { ...process.env, HOST: '', PORT: '0', ...variables },
  });
  running.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (part) => {
    said.out += part;
  });
  child.stderr.on('data', (part) => {
    said.err += part;
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code, signal, ...said };
  });
  return { child, ended, firstLine: once(createInterface({ input: child.stdout }), 'line') };
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  await new Promise((closed) => free.close(closed));
  return port;
}

it(
  'says where it is, serves, and ends with status 0 on SIGTERM after the going-away close',
  async () => {
    const { child, ended, firstLine } = start({});
    const [line] = await firstLine;
    const address = /^Voicewire is ready at (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(line))?.[1] ?? '';
    expect((await fetch(`${address}/`)).status).toBe(200);
    const socket = new WebSocket(`${address.replace('http', 'ws')}/kugel/ws/tts/stream?api_key=local`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    child.kill('SIGTERM');
    // Ctrl-C under npm comes twice.
    child.kill('SIGTERM');
    expect((await closed)[0]).toBe(1012);
    expect(await ended).toEqual({ code: 0, signal: null, out: `${line}\n`, err: '' });
  },
  LIMIT_MS,
);

it(
  'a signal while it is still warming up ends it with status 0, without a word',
  async () => {
    const port = await freePort();
    const { child, ended } = start({ PORT: String(port) });
    const ask = () => fetch(`http://127.0.0.1:${port}/`).catch(() => null);
    let answer = await ask();
    while (answer === null) answer = await ask();
    // A browser that comes this early tries again by itself.
    expect([answer.status, answer.headers.get('refresh')]).toEqual([503, '1']);
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 0, signal: null, out: '', err: '' });
  },
  LIMIT_MS,
);

describe('what keeps it from starting ends it at once, in one line that says what to do', () => {
  const failure = async (variables: Record<string, string>, page?: string) => {
    const { code, out, err } = await start(variables, page).ended;
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/^[^\n]+\n$/);
    return err;
  };

  it(
    'a taken port',
    async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      expect(await failure({ PORT: String(port) })).toBe(
        `Port ${port} on 127.0.0.1 is taken. Stop what uses it, or choose another one: PORT=${port + 1} npm start, or npx voicewire --port ${port + 1}\n`,
      );
      other.close();
    },
    LIMIT_MS,
  );

  it(
    'a bad PORT',
    async () => {
      expect(await failure({ PORT: '70000' })).toMatch(
        /^PORT must be a whole number from 0 to 65535, not "70000"/,
      );
    },
    LIMIT_MS,
  );

  it(
    'a HOST that is not here',
    async () => {
      expect(await failure({ HOST: '203.0.113.7' })).toMatch(
        /^HOST 203\.0\.113\.7 is no address of this machine/,
      );
    },
    LIMIT_MS,
  );

  it(
    'a VOICEWIRE_DATA that is no file',
    async () => {
      expect(await failure({ VOICEWIRE_DATA: directory })).toMatch(
        /^VOICEWIRE_DATA must name a file, not ".+": that is a directory\.$/m,
      );
    },
    LIMIT_MS,
  );

  it(
    'a speech server that is not there',
    async () => {
      const port = await freePort();
      const variables = { VOICEWIRE_ENGINE: 'openai', VOICEWIRE_OPENAI_URL: `http://127.0.0.1:${port}/v1` };
      expect(await failure({ ...variables, VOICEWIRE_OPENAI_KEY: 'canary' })).toBe(
        'The voices of VOICEWIRE_OPENAI_URL cannot be listed: the speech server cannot be reached, code ECONNREFUSED. Name them in a file: VOICEWIRE_VOICES.\n',
      );
    },
    LIMIT_MS,
  );

  it(
    'a Redis that is not there',
    async () => {
      const said = await failure({ VOICEWIRE_REDIS: 'redis://:secret@127.0.0.1:1' });
      expect(said).toMatch(/^VOICEWIRE_REDIS: redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/);
      expect(said).not.toContain('secret');
    },
    LIMIT_MS,
  );

  it(
    'a page that is not built',
    async () => {
      expect(await failure({}, join(directory, 'nothing'))).toMatch(/not built yet\. Use npm start/);
    },
    LIMIT_MS,
  );
});

it(
  'goes on serving after a fault that no session and no request caught',
  async () => {
    const faults =
      "process.on('SIGUSR2', () => { Promise.reject(new RangeError()); throw new TypeError(); });";
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(faults)}`];
    const { child, ended, firstLine } = start({}, directory, preload);
    const [line] = await firstLine;
    const address = String(line).replace('Voicewire is ready at ', '');
    const logged = once(createInterface({ input: child.stderr }), 'line');
    child.kill('SIGUSR2');
    expect(String((await logged)[0])).toContain('uncaught fault');
    expect(await (await fetch(`${address}/health`)).json()).toEqual({ status: 'healthy' });
    child.kill('SIGTERM');
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toContain('RangeError');
    expect(err).toContain('TypeError');
  },
  LIMIT_MS,
);
