import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { decodeBase64 } from '#lib/base64.ts';
import { createTestEngine } from '#server/test-engine.test-helper.ts';
import { startTestServer } from '#server/test-server.test-helper.ts';
import { entriesOf, infoOf } from '#trace/files/testing/recordings.ts';
import { type SnippetSource, snippetSource } from './snippet-source.ts';
import { SNIPPETS, type SnippetLanguage } from './snippets.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'voicewire-snippets-'));
afterAll(() => rmSync(directory, { recursive: true }));

function saved(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** @param text of a program */
function runTypescript(text: string, key: string): Promise<{ stdout: string }> {
  // Node 20 has the browser's WebSocket behind a flag; the snippet requires a version without the flag.
  const flags = typeof globalThis.WebSocket === 'undefined' ? ['--experimental-websocket'] : [];
  const path = saved('session.ts', text);
  const env = { ...process.env, VOICEWIRE_KEY: key };
  return run(process.execPath, [...flags, '--no-warnings', '--import', 'tsx', path], { cwd: ROOT, env });
}

const sentEntries = (frames: readonly (string | Uint8Array<ArrayBuffer>)[], gapUs = 1000) =>
  entriesOf(
    frames.map((payload) => ({
      gapUs,
      direction: 'out' as const,
      connection: 1,
      opcode: typeof payload === 'string' ? ('text' as const) : ('binary' as const),
      kind: 'say',
      turn: null,
      context: null,
      chunk: null,
      audioMs: null,
      payload,
    })),
  );

const ADDRESS = 'ws://127.0.0.1:1/kugel/ws/tts/stream';

function snippet(
  language: SnippetLanguage,
  frames: readonly (string | Uint8Array<ArrayBuffer>)[],
  address = ADDRESS,
): string {
  const entries = sentEntries(frames);
  return SNIPPETS[language].write(snippetSource(infoOf(entries, { address }), entries));
}

const SESSION = [
  '{"voice_id":1071,"language":"en"}',
  '{"text":"Hello, it\'s a \\"test\\"."}',
  '{"flush":true}',
];

/** Texts that try to end the string they are written in. */
const anyFrames = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: fc.constantFrom(...'\'"\\$`\n\r\u2028{}#'), maxLength: 12 }),
    fc.constantFrom(
      "'; process.exit(1); '",
      '$(touch /tmp/x)',
      "'''",
      '"""',
      '\\u0027',
      '{"api_key":"[key]"}',
    ),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => new Uint8Array(bytes)),
  ),
  { maxLength: 8 },
);

/** As it leaves for the wire: the key in its place, half surrogate pairs replaced. */
const onTheWire = (frame: string | Uint8Array, key: string): string | number[] =>
  typeof frame === 'string'
    ? frame.replace(/\p{Surrogate}/gu, '\ufffd').replaceAll('"[key]"', JSON.stringify(key))
    : [...frame];

describe('TypeScript', () => {
  it('writes every frame as it was, and the key nowhere', () => {
    fc.assert(
      fc.property(anyFrames, (frames) => {
        const text = snippet('typescript', frames);
        const list = text.slice(text.indexOf('= [\n') + 2, text.indexOf('\n];\n') + 2);
        const context = { Buffer: { from: (base64: string) => decodeBase64(base64) }, JSON, key: 'k"1' };
        const read = runInNewContext(list, context) as [number, string | { bytes: Uint8Array }][];
        expect(read.map(([, frame]) => (typeof frame === 'string' ? frame : [...frame.bytes]))).toEqual(
          frames.map((frame) => onTheWire(frame, 'k"1')),
        );
      }),
    );
  });

  it('waits as long as it was waited, but not for minutes', () => {
    const entries = sentEntries(SESSION, 60_000_000);
    const { frames } = snippetSource(infoOf(entries), entries);
    expect(frames.map(({ waitMs }) => waitMs)).toEqual([0, 10_000, 10_000]);
  });

  it('has what was sent on the last connection only', () => {
    const entries = sentEntries(['one', 'two']).map((entry, i) => ({ ...entry, connection: i + 1 }));
    expect(snippetSource(infoOf(entries), entries).frames).toEqual([{ waitMs: 0, frame: { text: ['two'] } }]);
  });

  it.each([
    [
      'kugel-stream',
      'wss://api.kugelaudio.com/ws/tts/stream',
      ['wss://api.kugelaudio.com/ws/tts/stream?api_key=', ''],
    ],
    ['kugel-stream', 'wss://h/ws/tts/stream?api_key=[key]', ['wss://h/ws/tts/stream?api_key=', '']],
    ['other', 'wss://h/x?token=[key]&a=1', ['wss://h/x?token=', '&a=1']],
    ['other', 'wss://h/x', ['wss://h/x']],
  ])('puts the key where %s has it in %s', (endpoint, address, expected) => {
    expect(snippetSource({ endpoint, address }, []).address).toEqual(expected);
  });
});

describe('TypeScript, run', () => {
  it('speaks to the local server and ends by itself', async () => {
    const server = await startTestServer({ engine: createTestEngine() });
    const frames = [...SESSION, '{"close_socket":true}'];
    const text = snippet('typescript', frames, `${server.ws}/kugel/ws/tts/stream`);
    const { stdout } = await runTypescript(text, 'local').finally(() => server.stop());
    const lines = stdout.trim().split('\n');
    expect(lines.at(-1)).toMatch(/^closed 1000/);
    const received = lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
    const spoken = received.flatMap((frame) => ('generation_started' in frame ? [frame.text] : []));
    expect(spoken.join(' ')).toBe('Hello, it\'s a "test".');
    expect(received.filter((frame) => frame.audio === '…').length).toBeGreaterThan(0);
    expect(received.at(-1)).toMatchObject({ session_closed: true });
  });
});

type Place = Pick<SnippetSource, 'protocols' | 'headers'>;

/** Keys in other places than address and frames, and the headers of their handshake. */
const PLACES: [string, Place, Record<string, string>][] = [
  [
    'a subprotocol',
    { protocols: [['token'], ['', '']], headers: [] },
    { 'sec-websocket-protocol': 'token, ka_1' },
  ],
  [
    'a header',
    { protocols: [], headers: [{ name: 'authorization', value: ['Token ', ''] }] },
    { authorization: 'Token ka_1' },
  ],
];
const withKeyIn = (place: Place, address: string): SnippetSource => ({
  ...snippetSource(infoOf([], { endpoint: '', address }), []),
  ...place,
});

it.each(PLACES)('a program has the key in %s', async (_, place, headers) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const connected = once(server, 'connection');
  const address = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const ran = runTypescript(SNIPPETS.typescript.write(withKeyIn(place, address)), 'ka_1');
  const [socket, request] = (await connected) as [WebSocket, IncomingMessage];
  expect(request.headers).toMatchObject(headers);
  socket.close(1000);
  expect((await ran).stdout).toContain('closed 1000');
  server.close();
});

describe.skipIf(!works('python3', ['--version']))('Python', () => {
  it.each(PLACES)('has the key in %s', async (_, place) => {
    // The package is not installed here. Its `connect` takes these options since version 13.
    const client = join(directory, 'websockets', 'asyncio');
    mkdirSync(client, { recursive: true });
    writeFileSync(
      join(client, 'client.py'),
      'import json\nclass connect:\n  def __init__(self, address, **options):\n    print(json.dumps(options))\n    raise SystemExit',
    );
    writeFileSync(join(directory, 'websockets', 'exceptions.py'), 'class ConnectionClosed(Exception): pass');
    const path = saved('placed.py', SNIPPETS.python.write(withKeyIn(place, ADDRESS)));
    const env = { ...process.env, VOICEWIRE_KEY: 'ka_1', PYTHONPATH: directory };
    const { stdout } = await run('python3', [path], { env });
    expect(JSON.parse(stdout)).toEqual({
      max_size: null,
      ...(place.protocols.length > 0
        ? { subprotocols: ['token', 'ka_1'] }
        : { additional_headers: { authorization: 'Token ka_1' } }),
    });
  });

  it('compiles for any frames, and contains every frame unchanged', () => {
    const frames = fc.sample(anyFrames, { numRuns: 100, seed: 1 }).flat();
    const path = saved('session.py', snippet('python', frames));
    execFileSync('python3', ['-m', 'py_compile', path]);
    const script = `
import ast, base64, json, sys
tree = ast.parse(open(sys.argv[1], encoding='utf-8', newline='').read())
listed = next(n.value for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == 'FRAMES')
frames = eval(compile(ast.Expression(listed), 'x', 'eval'), {'json': json, 'base64': base64, 'KEY': 'k"1'})
print(json.dumps([list(f) if isinstance(f, bytes) else f for _, f in frames]))`;
    const read = JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' })) as unknown;
    expect(read).toEqual(frames.map((frame) => onTheWire(frame, 'k"1')));
  });
});

describe('command line', () => {
  it('hands websocat the address and each frame as a line', async () => {
    const heard = join(directory, 'heard');
    const fake = saved('websocat', `#!/bin/sh\nprintf '%s\\n' "$@" > '${heard}.args'\ncat > '${heard}'\n`);
    chmodSync(fake, 0o755);
    // Its pauses are of no interest here.
    chmodSync(saved('sleep', '#!/bin/sh\n'), 0o755);
    const frames = [
      ...SESSION,
      '{"api_key": "[key]",\n "text": "$(id) `id` \'x\' \\\\n"}',
      new Uint8Array(3),
    ];
    const path = saved('session.sh', snippet('shell', frames));
    await run('sh', [path], { env: { PATH: `${directory}:${process.env.PATH}`, VOICEWIRE_KEY: 'ka_1' } });
    expect(readFileSync(`${heard}.args`, 'utf8').trim().split('\n').at(-1)).toBe(`${ADDRESS}?api_key=ka_1`);
    expect(readFileSync(heard, 'utf8').trimEnd().split('\n')).toEqual([
      ...SESSION,
      '{"api_key": "ka_1",  "text": "$(id) `id` \'x\' \\\\n"}',
    ]);
  });

  it.each(PLACES)('hands websocat the key in %s', async (_, place, headers) => {
    const given = join(directory, 'given');
    chmodSync(saved('websocat', `#!/bin/sh\nprintf '%s\\n' "$@" > '${given}'\ncat\n`), 0o755);
    chmodSync(saved('sleep', '#!/bin/sh\n'), 0o755);
    const path = saved('placed.sh', SNIPPETS.shell.write(withKeyIn(place, ADDRESS)));
    await run('sh', [path], { env: { PATH: `${directory}:${process.env.PATH}`, VOICEWIRE_KEY: 'ka_1' } });
    const [[name, value] = ['', '']] = Object.entries(headers);
    const options = place.protocols.length > 0 ? ['--protocol', value] : ['--header', `${name}: ${value}`];
    expect(readFileSync(given, 'utf8').trim().split('\n').slice(-3)).toEqual([...options, ADDRESS]);
  });

  it('executes no part of any frame', () => {
    const frames = fc.sample(anyFrames, { numRuns: 100, seed: 2 }).flat();
    const said = snippet('shell', frames)
      .split('\n')
      .filter((line) => line.startsWith('  printf'));
    const read = execFileSync('sh', ['-c', said.join('\n')], {
      encoding: 'utf8',
      env: { VOICEWIRE_KEY: 'ka_1' },
    });
    const expected = frames.flatMap((frame) =>
      typeof frame === 'string'
        ? `${String(onTheWire(frame, 'ka_1'))
            .replace(/[\r\n]+/g, ' ')
            .replaceAll('\0', '')}\n`
        : [],
    );
    expect(read).toBe(expected.join(''));
  });
});

function works(command: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(command, parameters, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
