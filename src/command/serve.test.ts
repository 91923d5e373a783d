import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type ScriptedServer,
  startScriptedServer,
} from '#server/speech/openai/scripted-server.test-helper.ts';
import { captureCommand } from './capture.ts';
import { serveCommand } from './serve.ts';

let directory: string;
let speech: ScriptedServer;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  speech = await startScriptedServer();
  vi.stubEnv('VOICEWIRE_ENGINE', 'openai');
  vi.stubEnv('VOICEWIRE_OPENAI_URL', speech.settings().url.href);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await captureCommand(['--out', first(), '--', ...program(['Good morning.', 'Good night.'])]);
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(async () => {
  await speech.stop();
  await rm(directory, { recursive: true });
});
afterEach(() => vi.restoreAllMocks());

const first = (): string => join(directory, 'talk.voicewire.ndjson');

/** A program that speaks each text on a connection of its own, and ends with a code. */
const program = (texts: readonly string[], code = 0): string[] => [
  process.execPath,
  '-e',
  `const { WebSocket } = require('ws');
const address = process.env.VOICEWIRE_KUGEL_URL.replace('http', 'ws') + '/ws/tts/stream?api_key=local';
const speak = (text) => new Promise((ended) => {
  const socket = new WebSocket(address);
  socket.on('open', () => socket.send(JSON.stringify({ text, voice_id: 1071, flush: true })));
  socket.on('message', (data) => { if (JSON.parse(data).usage) socket.close(1000); });
  socket.on('close', ended);
});
(async () => {
  for (const text of ${JSON.stringify(texts)}) await speak(text);
  process.exit(${code});
})();`,
];

async function serve(...args: string[]): Promise<{ code: number; report: string; printed: string }> {
  const report = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const code = await serveCommand(args);
  const wordsOf = (spy: typeof report) => spy.mock.calls.map(([words]) => String(words)).join('');
  return { code, report: wordsOf(report), printed: wordsOf(printed) };
}

describe('a program beside recordings', () => {
  it('that does as recorded ends with its own code, with the numbered files of capture', async () => {
    const texts = ['Good morning.', 'Good night.'];
    const { code, report, printed } = await serve('--pace', 'fast', first(), '--', ...program(texts));
    expect(code).toBe(0);
    expect(printed).toMatch(/^kugel http:\/\/127\.0\.0\.1:\d+\/kugel\n$/);
    expect(report).toBe(
      '1. KugelAudio stream, talk.voicewire.ndjson: as recorded\n2. KugelAudio stream, talk-2.voicewire.ndjson: as recorded\n',
    );
    expect((await serve('--pace', 'fast', first(), '--', ...program(texts, 7))).code).toBe(7);
  });

  it('that differs, or leaves a connection out, ends with 3 and a report', async () => {
    const { code, report } = await serve('--pace', 'fast', first(), '--', ...program(['Good day.']));
    expect(code).toBe(3);
    expect(report).toMatch(
      /^1\. KugelAudio stream, talk\.voicewire\.ndjson: 1 difference\n {3}changed: recorded text "Good morning\."/,
    );
    expect(report).toContain('\ntalk-2.voicewire.ndjson: no client asked for it.\n');
  });

  it('that drops the path of its base URL finds the vendor of --root', async () => {
    const [node = '', flag = '', script = ''] = program(['Good morning.', 'Good night.']);
    const rooted = script.replace("_URL.replace('http'", "_URL.replace('/kugel', '').replace('http'");
    expect(rooted).not.toBe(script);
    const args = ['--pace', 'fast', first(), '--', node, flag, rooted];
    expect((await serve('--root', 'kugel', ...args)).code).toBe(0);
    expect((await serve(...args)).code).toBe(1);
    await expect(serve('--root', 'acme', ...args)).rejects.toThrow(/^--root: expected one of kugel, /);
  });

  it('that cannot be run ends the server', async () => {
    const running = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await expect(serve(first(), '--', '/no/such/program')).rejects.toThrow(
      /\/no\/such\/program cannot be run/,
    );
    const [address = ''] = /http:\S+/.exec(running.mock.calls.join('')) ?? [];
    expect(address).toMatch(/^http:/);
    await expect(fetch(address)).rejects.toThrow();
  });

  it('that leaves a REST call out, ends with 3 and the call', async () => {
    const calls = join(directory, 'calls.voicewire.ndjson');
    const caller = (...names: string[]) => [
      process.execPath,
      '-e',
      `for (const name of ${JSON.stringify(names)}) fetch(process.env.VOICEWIRE_KUGEL_URL + '/v1/' + name);`,
    ];
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    await captureCommand(['--out', calls, '--', ...caller('models', 'voices')]);
    vi.restoreAllMocks();
    const { code, report } = await serve(calls, '--', ...caller('models'));
    expect(code).toBe(3);
    expect(report).toContain('\nGET /v1/voices, calls.voicewire.ndjson: no client asked for it.\n');
  });

  it('is served the whole connections of a file that was cut off, which the report says', async () => {
    const cut = join(directory, 'cut.voicewire.ndjson');
    const lines = (await readFile(first(), 'utf8')).split('\n');
    await writeFile(cut, lines.slice(0, -3).join('\n'));
    const { code, report } = await serve('--pace', 'fast', cut, '--', ...program(['Good morning.']));
    expect(report).toContain('cut.voicewire.ndjson: The file was cut off: its last line is missing.');
    expect(code).toBe(0);
  });

  it('is served a file of more entries than a call takes as arguments', async () => {
    const long = join(directory, 'long.voicewire.ndjson');
    const [head = '', ...entries] = (await readFile(first(), 'utf8')).trimEnd().split('\n').slice(0, -1);
    const played =
      '{"atUs":0,"direction":"player","connection":1,"opcode":"none","bytes":0,"kind":"played","text":""}';
    const lines = [...entries, ...Array<string>(130_000).fill(played)];
    await writeFile(long, `${[head, ...lines, `{"end":{"entries":${lines.length}}}`].join('\n')}\n`);
    const { code, report } = await serve('--pace', 'fast', long, '--', ...program(['Good morning.']));
    expect(report).toContain('long.voicewire.ndjson: as recorded\n');
    expect(code).toBe(0);
  });

  it('is served a damaged file up to the damage', async () => {
    const damaged = join(directory, 'damaged.voicewire.ndjson');
    const lines = (await readFile(first(), 'utf8')).split('\n');
    await writeFile(damaged, lines.with(-4, '{"atUs":').join('\n'));
    const { code, report } = await serve('--pace', 'fast', damaged, '--', ...program(['Good day.']));
    expect(report).toMatch(
      /damaged\.voicewire\.ndjson: Line \d+.*That line and everything behind it are left out\./,
    );
    expect(report).toContain('changed: recorded text "Good morning."');
    expect(code).toBe(3);
  });
});

it.each([
  ['no file', [], 'Expected at least one file'],
  ['a file that does not exist', ['nowhere.voicewire.ndjson'], 'nowhere.voicewire.ndjson: '],
  ['an unknown pace', ['--pace', 'slow', 'a'], '--pace: expected one of recorded, fast, got slow'],
])('refuses %s', async (_, args, words) => {
  await expect(serve(...args)).rejects.toThrow(words);
});

it('refuses files without anything to serve', async () => {
  const empty = join(directory, 'empty.voicewire.ndjson');
  const [header = '', opening = ''] = (await readFile(first(), 'utf8')).split('\n');
  await writeFile(empty, `${header}\n${opening}\n{"end":{"entries":1}}\n`);
  await expect(serve(empty)).rejects.toThrow('Nothing in these files can be served');
});
