import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import {
  type ScriptedServer,
  startScriptedServer,
} from '#server/speech/openai/scripted-server.test-helper.ts';
import { captureCommand } from './capture.ts';
import { checkFiles } from './check-files.ts';

const KEY = 'sk-canary-0123456789';

let directory: string;
/** Speaks at once, where espeak would have to start for each test. */
let speech: ScriptedServer;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  speech = await startScriptedServer();
});
afterAll(async () => {
  await speech.stop();
  await rm(directory, { recursive: true });
});
beforeEach(() => {
  vi.stubEnv('VOICEWIRE_KEYS', KEY);
  vi.stubEnv('VOICEWIRE_ENGINE', 'openai');
  vi.stubEnv('VOICEWIRE_OPENAI_URL', speech.settings().url.href);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs the command. Resolves with its exit code and its words. */
async function capture(args: readonly string[]): Promise<{ code: number; words: string }> {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const code = await captureCommand(args);
  return { code, words: written.mock.calls.map(([words]) => String(words)).join('') };
}

/** A program that speaks a turn on each of two connections, and sends these frames first. */
const programOn = (path: string, ...frames: string[]): string[] => [
  process.execPath,
  '-e',
  `const { WebSocket } = require('ws');
const address = process.env.VOICEWIRE_KUGEL_URL.replace('http', 'ws') + '${path}?api_key=${KEY}';
const speak = () => new Promise((ended) => {
  const socket = new WebSocket(address);
  socket.on('open', () => {
    for (const frame of ${JSON.stringify(frames)}) socket.send(frame);
    socket.send(JSON.stringify({ text: 'Hi.', voice_id: 1071, language: 'en', flush: true }));
  });
  socket.on('message', (data) => { if (JSON.parse(data).usage) socket.close(1000); });
  socket.on('close', ended);
});
speak().then(speak);`,
];
const program = (...frames: string[]): string[] => programOn('/ws/tts/stream', ...frames);

it('records each connection of a command without its key, behind faults', async () => {
  const out = join(directory, 'clean.voicewire.ndjson');
  const args = ['--out', out, '--faults', 'latency=20', '--max-severity', 'advice', '--', ...program()];
  const { code, words } = await capture(args);
  expect(words).toContain('nothing found');
  expect(code).toBe(0);
  const files = (await readdir(directory)).filter((name) => name.startsWith('clean'));
  expect(files.sort()).toEqual(['clean-2.voicewire.ndjson', 'clean.voicewire.ndjson']);
  for (const file of files) {
    const text = await readFile(join(directory, file), 'utf8');
    expect(text).not.toContain(KEY);
    expect(text).toContain('/faults/latency=20/kugel/ws/tts/stream?api_key=[key]');
    const [recording] = await checkFiles([join(directory, file)]);
    expect(recording).toMatchObject({ endpoint: 'kugel-stream', unread: 0 });
  }
});

it('removes the files of an earlier run that had more connections', async () => {
  for (const name of ['again', 'again-2', 'again-3']) await writeFile(join(directory, `${name}.ndjson`), '');
  const script = `fetch(process.env.VOICEWIRE_KUGEL_URL + '/v1/models', { headers: { 'X-API-Key': '${KEY}' } });`;
  await capture(['--out', join(directory, 'again.ndjson'), '--', process.execPath, '-e', script]);
  const files = (await readdir(directory)).filter((name) => name.startsWith('again'));
  expect(files).toEqual(['again.ndjson']);
  expect(await readFile(join(directory, 'again.ndjson'), 'utf8')).toContain('/v1/models');
});

it('records the calls of a command in a file of their own', async () => {
  const out = join(directory, 'calls.voicewire.ndjson');
  const script = `const ask = (path) => fetch(process.env.VOICEWIRE_KUGEL_URL + path, { headers: { 'X-API-Key': '${KEY}' } });
ask('/v1/models').then(() => ask('/v1/voices?limit=1'));`;
  const { code, words } = await capture([
    '--out',
    out,
    '--faults',
    'latency=5',
    '--',
    process.execPath,
    '-e',
    script,
  ]);
  expect(words).toContain('not checked, because REST calls have no rules');
  expect(code).toBe(0);
  const text = await readFile(out, 'utf8');
  expect(text).not.toContain(KEY);
  expect(text).toContain('/v1/voices?limit=1');
  expect(text.match(/latency=5\\"/g)).toHaveLength(2);
  const [recording] = await checkFiles([out]);
  expect(recording).toMatchObject({ endpoint: 'kugel-rest', unread: 0 });
});

it.each(['/ws/tts/stream', '/ws/tts'])('fails by a violation on %s, and says which', async (path) => {
  const out = join(directory, 'broken.voicewire.ndjson');
  const { code, words } = await capture(['--out', out, '--', ...programOn(path, '{"text":7}')]);
  expect(words).toContain('violation client-shape, entry 2');
  expect(code).toBe(1);
});

it('ends with the code of a command that fails, also where nothing connected', async () => {
  const out = join(directory, 'earlier.ndjson');
  await writeFile(out, 'an earlier recording');
  const { code, words } = await capture(['--out', out, '--', process.execPath, '-e', 'process.exit(7)']);
  expect(words).toContain('opened no connection');
  expect(code).toBe(7);
  expect(await readFile(out, 'utf8')).toBe('an earlier recording');
});

it('names requests at paths that no vendor has', async () => {
  const script = `(async () => {
    await fetch(process.env.VOICEWIRE_URL + '/v1/models?key=secret');
    await fetch(process.env.VOICEWIRE_URL + '/v1/models');
    const { WebSocket } = require('ws');
    new WebSocket(process.env.VOICEWIRE_URL.replace('http', 'ws') + '/v1/speak').on('error', () => {});
  })()`;
  const { code, words } = await capture([
    '--out',
    join(directory, 'strays'),
    '--',
    process.execPath,
    '-e',
    script,
  ]);
  expect(words).not.toContain('opened no connection');
  expect(words).toContain(':\n  GET /v1/models\n  WebSocket /v1/speak\n');
  expect(words).toContain('--root VENDOR');
  expect(code).toBe(1);
});

it('--root answers a program that drops the path of its base URL, also behind faults', async () => {
  const out = join(directory, 'rooted.voicewire.ndjson');
  const script = `(async () => {
    const { origin } = new URL(process.env.VOICEWIRE_DEEPGRAM_URL);
    const answer = await fetch(origin + '/v1/models');
    if (!answer.ok) process.exit(9);
  })()`;
  const args = ['--root', 'deepgram', '--faults', 'latency=3', '--out', out];
  const { code } = await capture([...args, '--', process.execPath, '-e', script]);
  expect(code).toBe(0);
  expect(await readFile(out, 'utf8')).toContain('latency=3');
});

it.each(['latency=fast', 'error=NO_SUCH_ERROR@1'])(
  'refuses the faults %s before anything starts',
  async (spec) => {
    await expect(capture(['--faults', spec, '--', 'true'])).rejects.toThrow(/^--faults: [^\n]+$/);
  },
);

it.each(['missing/session.voicewire.ndjson', '.'])(
  'refuses to write to %s before the command runs',
  async (place) => {
    const out = join(directory, place);
    const ran = join(directory, 'ran');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`;
    const captured = capture(['--out', out, '--', process.execPath, '-e', script]);
    await expect(captured).rejects.toThrow(/^--out: [^\n]+$/);
    expect(await readdir(directory)).not.toContain('ran');
  },
);
