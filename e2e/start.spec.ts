import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { WebSocket } from 'ws';
import { endWithUs } from '#lib/testing/end-with-us.ts';

/** The start of the built command, as far as only a process shows it. `npm start` and `npx` run this command. */

const running = new Set<ChildProcess>();

test.afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

function voicewire(args: readonly string[], variables: Record<string, string> = {}, flags: string[] = []) {
  const child = endWithUs(
    spawn(process.execPath, [...flags, 'build/command/voicewire.js', ...args], {
      env: { ...process.env, HOST: '', PORT: '0', ...variables },
    }),
  );
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

/** A listener on a free port. */
async function listen(): Promise<{ server: ReturnType<typeof createServer>; port: number }> {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('--port and --host replace the variables, --open gives the address to the opener of the system, and SIGTERM ends it with status 0 after the going-away close', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  const { server, port } = await listen();
  const told = once(server, 'request');
  const opener = join(directory, 'xdg-open');
  await writeFile(opener, `#!${process.execPath}\nfetch('http://127.0.0.1:${port}/?' + process.argv[2]);\n`);
  await chmod(opener, 0o755);
  const variables = { HOST: '203.0.113.7', PORT: '70000', PATH: `${directory}:${process.env.PATH}` };
  const { child, ended, firstLine } = voicewire(['--port', '0', '--host', '127.0.0.1', '--open'], variables);
  const [line] = await firstLine;
  const address = /^Voicewire is ready at (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(line))?.[1] ?? '';
  const [{ url }] = (await told) as [IncomingMessage];
  server.close();
  expect(url).toBe(`/?${address}`);
  expect((await fetch(`${address}/`)).status).toBe(200);
  const socket = new WebSocket(`${address.replace('http', 'ws')}/kugel/ws/tts/stream?api_key=local`);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  child.kill('SIGTERM');
  // Ctrl-C under npm comes twice.
  child.kill('SIGTERM');
  expect((await closed)[0]).toBe(1012);
  expect(await ended).toEqual({ code: 0, signal: null, out: `${line}\n`, err: '' });
  await rm(directory, { recursive: true });
});

test('a signal while it is still starting ends it with status 0, without a word', async () => {
  // Names the port as soon as the server listens, and holds up the engine, whose thread never says that it is ready.
  const preload = `
    import { Server } from 'node:net';
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    const { listen } = Server.prototype;
    Server.prototype.listen = function (...args) {
      this.once('listening', () => process.stderr.write(this.address().port + '\\n'));
      return listen.apply(this, args);
    };
    threads.Worker = class extends threads.Worker {
      constructor() {
        super('setInterval(() => {}, 1000)', { eval: true });
      }
    };
    syncBuiltinESMExports();`;
  const { child, ended } = voicewire([], {}, [
    '--import',
    `data:text/javascript,${encodeURIComponent(preload)}`,
  ]);
  const [port] = await once(createInterface({ input: child.stderr }), 'line');
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  // A browser that comes this early tries again by itself.
  expect([answer.status, answer.headers.get('refresh')]).toEqual([503, '1']);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, signal: null, out: '', err: `${port}\n` });
});

test('a taken port ends it with status 1, in one line that says what to do', async () => {
  const { server, port } = await listen();
  expect(await voicewire([], { PORT: String(port) }).ended).toEqual({
    code: 1,
    signal: null,
    out: '',
    err: `Port ${port} on 127.0.0.1 is taken. Stop what uses it, or choose another one: PORT=${port + 1} npm start, or npx voicewire --port ${port + 1}\n`,
  });
  server.close();
});

test('goes on serving after a fault that no session and no request caught', async () => {
  const faults = "process.on('SIGUSR2', () => { Promise.reject(new RangeError()); throw new TypeError(); });";
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(faults)}`];
  const { child, ended, firstLine } = voicewire([], {}, preload);
  const address = String((await firstLine)[0]).replace('Voicewire is ready at ', '');
  const logged = once(createInterface({ input: child.stderr }), 'line');
  child.kill('SIGUSR2');
  expect(String((await logged)[0])).toContain('uncaught fault');
  expect(await (await fetch(`${address}/health`)).json()).toEqual({ status: 'healthy' });
  child.kill('SIGTERM');
  const { code, err } = await ended;
  expect(code).toBe(0);
  expect(err).toContain('RangeError');
  expect(err).toContain('TypeError');
});

const SPEAK = JSON.stringify({ text: 'Good morning.', voice_id: 1071, flush: true });

/** Speaks on a socket below an address. @returns bytes of the audio, once the turn has ended */
function speakAt(address: string, heard: () => void = () => {}): Promise<number> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws/tts/stream?api_key=local`);
  let bytes = 0;
  socket.on('open', () => socket.send(SPEAK));
  socket.on('message', (data) => {
    const { audio = '', usage } = JSON.parse(String(data));
    bytes += Buffer.byteLength(audio, 'base64');
    if (audio !== '') heard();
    if (usage) socket.close(1000);
  });
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve(bytes)));
}

const entry = (atMs: number, direction: string, kind: string, frame: object): object => {
  const text = JSON.stringify(frame);
  const opcode = direction === 'connection' ? 'none' : 'text';
  return { atUs: atMs * 1000, direction, connection: 1, opcode, bytes: text.length, kind, text };
};
const AUDIO = { audio: 'AAAA'.repeat(1000), enc: 'pcm_s16le', sr: 24_000, samples: 1500 };
const ENTRIES = [
  entry(0, 'connection', 'opening', {}),
  entry(1, 'connection', 'opened', {}),
  entry(2, 'out', 'say', JSON.parse(SPEAK)),
  entry(3, 'in', 'audio', { ...AUDIO, idx: 0 }),
  entry(303, 'in', 'audio', { ...AUDIO, idx: 1 }),
  entry(304, 'in', 'turnEnded', { session_closed: true, usage: { audio_seconds: 0.125 } }),
];
const INFO = {
  ...{ id: 'talk', name: 'talk', endpoint: 'kugel-stream', address: '', startedAtMs: 0, durationUs: 304_000 },
  ...{ entries: ENTRIES.length, bytes: 1, pinned: false },
};
const linesOf = (entries: readonly object[]): string =>
  [{ format: 'voicewire-recording', version: 1, info: INFO }, ...entries]
    .map((line) => JSON.stringify(line))
    .join('\n');

test('SIGKILL around recordings that are served leaves no file, and the next start serves them', {
  tag: '@long',
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  const TMPDIR = join(directory, 'tmp');
  await mkdir(TMPDIR);
  const file = join(directory, 'talk.voicewire.ndjson');
  const recording = linesOf([...ENTRIES, { end: { entries: ENTRIES.length } }]);
  await writeFile(file, recording);
  const address = async ({ firstLine }: ReturnType<typeof voicewire>) =>
    String((await firstLine)[0]).replace(/^.* (?=http)/, '');
  const kill = async ({ child, ended }: ReturnType<typeof voicewire>) => {
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL', err: '' });
    expect(await readdir(TMPDIR)).toEqual([]);
  };

  // The page's: killed in the middle of a file, and while it reads one.
  const audio = Array.from({ length: 5000 }, () => entry(3, 'in', 'audio', AUDIO));
  const large = linesOf([...ENTRIES.slice(0, 3), ...audio]);
  const post = async (origin: string, share: number) => {
    const headers = { Host: new URL(origin).host, Origin: origin, 'Content-Length': large.length };
    const posted = request(`${origin}/served`, { method: 'POST', headers });
    posted.on('error', () => {});
    await new Promise((written) => posted.write(large.slice(0, share * large.length), written));
  };
  const voices = join(directory, 'voices.json');
  await writeFile(voices, '[{"voice":"nobody","languages":["en"]}]');
  // A server whose recordings answer needs no espeak, which takes seconds to start.
  const noEspeak = { VOICEWIRE_ENGINE: 'openai', VOICEWIRE_OPENAI_URL: 'http://127.0.0.1:9/v1' };
  const variables = { TMPDIR, VOICEWIRE_VOICES: voices, ...noEspeak };
  const first = voicewire([], variables);
  await post(await address(first), 0.5);
  await kill(first);
  const second = voicewire([], variables);
  const origin = await address(second);
  const headers = { Origin: origin };
  expect(await (await fetch(`${origin}/served`, { headers })).json()).toEqual([]);
  const added = await fetch(`${origin}/served`, { method: 'POST', headers, body: recording });
  const spoken = await speakAt(`${origin}/served/${(await added.json()).id}/kugel`);
  expect(spoken).toBeGreaterThan(0);
  await post(origin, 1);
  await kill(second);

  // The command's: killed while it answers.
  const served = voicewire(['serve', file], { TMPDIR });
  const at = await address(served);
  await new Promise<void>((heard) => void speakAt(at, heard));
  await kill(served);
  const again = voicewire(['serve', '--pace', 'fast', file], { TMPDIR });
  expect(await speakAt(await address(again))).toBe(spoken);
  await kill(again);
  await rm(directory, { recursive: true });
});

for (const [argument, code, err] of [
  [
    'play',
    2,
    'There is no command play. Expected capture, diff, lint, serve, open, asyncapi, measure, or none, which starts the server.',
  ],
  ['--prot=1', 2, "Unknown option '--prot'. Every option is listed by: voicewire --help"],
  ['--port=70000', 1, '--port must be a whole number from 0 to 65535, not "70000".'],
] as const) {
  test(`the argument ${argument} ends it with status ${code}, in one line that says what was expected`, async () => {
    expect(await voicewire([argument]).ended).toEqual({ code, signal: null, out: '', err: `${err}\n` });
  });
}

/** What a bundled module imports: packages, modules of Node and its own parts, now or later. */
function importsOf(code: string): { now: string[]; later: string[] } {
  const found = [...code.matchAll(/^(?:import|export)\b[^;]*?"([^"]+)";$|\bimport\("([^"]+)"\)/gm)];
  return {
    now: found.flatMap(([, name]) => name ?? []),
    later: found.flatMap(([, , name]) => name ?? []),
  };
}

const isPackage = (name: string): boolean => !/^(?:\.|node:)/.test(name);

/** Packages that load with a built module, and with those that it imports statically. */
async function packagesWith(module: string, seen = new Set<string>()): Promise<string[]> {
  if (seen.has(module)) return [];
  seen.add(module);
  const { now } = importsOf(await readFile(join('build/command', module), 'utf8'));
  const own = now.filter((name) => name.startsWith('./'));
  const parts = await Promise.all(own.map((name) => packagesWith(name.slice(2), seen)));
  return [...now.filter(isPackage), ...parts.flat()];
}

test('no built module needs a package that is not installed with it', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  const known = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  for (const module of await readdir('build/command')) {
    const { now, later } = importsOf(await readFile(join('build/command', module), 'utf8'));
    const packages = [...now, ...later]
      .filter(isPackage)
      .map((name) => name.match(/^(?:@[^/]+\/)?[^/]+/)?.[0]);
    expect(known, `packages of ${module}`).toEqual(expect.arrayContaining(packages));
  }
});

test('a plain start loads no package that only some servers or commands need', async () => {
  const start = (await readdir('build/command')).find((name) => /^start-(?!error)/.test(name)) ?? '';
  const packages = await packagesWith(start);
  expect(packages).toContain('hono');
  // Of `eld`, the table is packed into the bundle.
  const others = ['ioredis', 'prom-client', 'junit-report-builder', 'eld/extrasmall'];
  for (const name of [...others, 'playwright-core']) expect(packages).not.toContain(name);
});
