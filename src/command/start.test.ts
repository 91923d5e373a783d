import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { readEnvironment } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { serve } from '#server/serve.ts';
import { freePort } from '#server/state/redis/redis-server.test-helper.ts';
import { startProblem } from './start-error.ts';

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

const start = (variables: Record<string, string>, page = directory, preload: readonly string[] = []) =>
  run(['--page', page], { HOST: '', PORT: '0', ...variables }, preload);

function run(args: readonly string[], variables: Record<string, string>, preload: readonly string[] = []) {
  const child = spawn(process.execPath, ['--import', 'tsx', ...preload, MAIN, ...args], {
    env: { ...process.env, ...variables },
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

it(
  'a taken port ends it with status 1, in one line that says what to do',
  async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await start({ PORT: String(port) }).ended).toEqual({
      code: 1,
      signal: null,
      out: '',
      err: `Port ${port} on 127.0.0.1 is taken. Stop what uses it, or choose another one: PORT=${port + 1} npm start, or npx voicewire --port ${port + 1}\n`,
    });
    other.close();
  },
  LIMIT_MS,
);

describe('what else keeps it from starting is said in one line', () => {
  const openai = { VOICEWIRE_ENGINE: 'openai', VOICEWIRE_OPENAI_KEY: 'canary' };
  it.each<
    [what: string, variables: () => Record<string, string> | Promise<Record<string, string>>, said: RegExp]
  >([
    [
      'a HOST that is not here',
      () => ({ HOST: '203.0.113.7' }),
      /^HOST 203\.0\.113\.7 is no address of this machine/,
    ],
    [
      'a VOICEWIRE_DATA that is no file',
      () => ({ VOICEWIRE_DATA: directory }),
      /^VOICEWIRE_DATA must name a file, not ".+": that is a directory\.$/,
    ],
    [
      'a speech server that is not there',
      async () => ({ ...openai, VOICEWIRE_OPENAI_URL: `http://127.0.0.1:${await freePort()}/v1` }),
      /^The voices of VOICEWIRE_OPENAI_URL cannot be listed: the speech server cannot be reached, code ECONNREFUSED\. Name them in a file: VOICEWIRE_VOICES\.$/,
    ],
    [
      'a Redis that is not there',
      () => ({ VOICEWIRE_REDIS: 'redis://:canary@127.0.0.1:1' }),
      /^VOICEWIRE_REDIS: redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
    ],
  ])('%s', async (_, variables, said) => {
    const environment = readEnvironment({ PORT: '0', LOG_LEVEL: 'silent', ...(await variables()) });
    const problem = startProblem(await startServer(environment).catch((error: unknown) => error));
    expect(problem).toMatch(said);
    expect(problem).not.toContain('\n');
    expect(problem).not.toContain('canary');
  });

  it('a page that is not built', async () => {
    const error = await serve(readEnvironment({ PORT: '0' }), join(directory, 'nothing')).catch(
      (reason) => reason,
    );
    expect(startProblem(error)).toMatch(/not built yet\. Use npm start/);
  });
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

it(
  '--port and --host replace the variables, and --open gives the address to the opener of the system',
  async () => {
    const listener = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const told = once(listener, 'request');
    const { port } = listener.address() as AddressInfo;
    const opener = join(directory, 'xdg-open');
    await writeFile(
      opener,
      `#!${process.execPath}\nfetch('http://127.0.0.1:${port}/?' + process.argv[2]);\n`,
    );
    await chmod(opener, 0o755);
    const variables = { HOST: '203.0.113.7', PORT: '70000', PATH: `${directory}:${process.env.PATH}` };
    const args = ['--page', directory, '--port', '0', '--host', '127.0.0.1', '--open'];
    const { child, ended, firstLine } = run(args, variables);
    const address = String((await firstLine)[0]).replace('Voicewire is ready at ', '');
    const [{ url }] = (await told) as [IncomingMessage];
    listener.close();
    expect(url).toBe(`/?${address}`);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  },
  LIMIT_MS,
);

it(
  'wrong arguments end it with status 2, and a value that it cannot use with 1, in one line that says what was expected',
  async () => {
    const expected: [argument: string, code: number, err: string][] = [
      [
        'serve',
        2,
        'There is no command serve. Expected capture, lint, measure, or none, which starts the server.',
      ],
      ['--prot=1', 2, "Unknown option '--prot'. Every option is listed by: voicewire --help"],
      ['--port=70000', 1, '--port must be a whole number from 0 to 65535, not "70000".'],
    ];
    const ends = expected.map(async ([argument, code, err]) => {
      expect(await run([argument], {}).ended).toEqual({ code, signal: null, out: '', err: `${err}\n` });
    });
    await Promise.all(ends);
  },
  LIMIT_MS,
);
