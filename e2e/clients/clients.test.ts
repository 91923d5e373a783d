import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endWithUs } from '../../src/lib/testing/end-with-us.ts';
import { pythonWith } from './python.ts';

/** `npm run test:clients`: programs of others are recorded once, and then run unchanged against their recording. */

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const VOICEWIRE = pathOf('../../build/command/voicewire.js');

const PYTHON = pythonWith('websockets');

interface Client {
  name: string;
  command: readonly string[];
  /** Whether this machine has what it needs. */
  canRun: boolean;
  /** Options of `capture` and `serve`, such as `--root` for a program that drops the path of its base URL. */
  options?: readonly string[];
}

/** The last example of murmr's page, as the options of `wscat`, which closes after these seconds. */
const WSCAT =
  'exec "$0" -c "$VOICEWIRE_MURMR_URL/v1/realtime" -w 5' +
  ` -x '{"type":"config","api_key":"local","voice_description":"A warm narrator","language":"English"}'` +
  ` -x '{"type":"text","text":"Hello, world! This is a test of the WebSocket protocol."}'` +
  ` -x '{"type":"flush"}'`;

const ofNode = (name: string, ...args: string[]): Client => ({
  name,
  command: [process.execPath, ...args],
  canRun: true,
});
const CLIENTS: readonly Client[] = [
  {
    name: 'the Python program of /ws/tts/stream',
    command: [PYTHON ?? '', pathOf('kugel_stream.py')],
    canRun: PYTHON !== null,
  },
  {
    name: 'the Python program of /ws/tts/multi',
    command: [PYTHON ?? '', pathOf('kugel_multi.py')],
    canRun: PYTHON !== null,
  },
  { name: 'wscat', command: ['sh', '-c', WSCAT, pathOf('node_modules/.bin/wscat')], canRun: true },
  ofNode('an agent of LiveKit', pathOf('livekit-agent.mjs')),
  ...['ElevenLabs', 'Deepgram', 'Cartesia'].flatMap((vendor) => [
    ofNode(
      `an agent of LiveKit with its plugin for ${vendor}`,
      pathOf('livekit-plugin.mjs'),
      vendor.toLowerCase(),
    ),
    ofNode(`the library of ${vendor}`, pathOf(`${vendor.toLowerCase()}-js.mjs`)),
  ]),
  ofNode('the library of Deepgram, version 3', pathOf('deepgram-former.mjs'), '3'),
  ofNode('the library of Deepgram, version 4', pathOf('deepgram-former.mjs'), '4'),
  {
    ...ofNode('the library of Cartesia, version 1', pathOf('cartesia-former.mjs')),
    options: ['--root', 'cartesia'],
  },
  ofNode('the voice of Mastra for Deepgram', pathOf('mastra-deepgram.mjs')),
  ofNode('the built page in Chromium', '--import', 'tsx', pathOf('built-page.ts')),
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voicewire-clients-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ran {
  code: number | null;
  /** What the client printed: a digest of what it received, or all of it. */
  out: string;
  err: string;
}

async function voicewire(args: readonly string[], variables: Record<string, string> = {}): Promise<Ran> {
  // The standard input stays open, because wscat ends with it.
  const child = endWithUs(
    spawn(process.execPath, [VOICEWIRE, ...args], { env: { ...process.env, ...variables } }),
  );
  const said = { out: '', err: '' };
  child.stdout.on('data', (part) => {
    said.out += part;
  });
  child.stderr.on('data', (part) => {
    said.err += part;
  });
  const [code] = await once(child, 'close');
  return { code, out: said.out.replace(/^\w+ http:.*\n/gm, ''), err: said.err };
}

const record = (path: string, command: readonly string[], ...options: string[]): Promise<Ran> =>
  voicewire(['capture', '--out', path, '--max-severity', 'warning', ...options, '--', ...command]);

/** No engine speaks at this address, and espeak is not asked. */
const NO_ENGINE = { VOICEWIRE_ENGINE: 'openai', VOICEWIRE_OPENAI_URL: 'http://127.0.0.1:9' };

const serve = (path: string, command: readonly string[], ...options: string[]): Promise<Ran> =>
  voicewire(['serve', path, ...options, '--', ...command], NO_ENGINE);

describe.each(CLIENTS)('$name', ({ name, command, canRun, options = [] }) => {
  it.skipIf(!canRun)('receives equal bytes from its recording', async () => {
    const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.voicewire.ndjson`);
    const recorded = await record(path, command, ...options);
    expect(recorded, recorded.err).toMatchObject({ code: 0 });
    expect(recorded.out).toMatch(/[0-9a-f]{64}|"type":"done"/);
    for (const pace of ['recorded', 'fast']) {
      const served = await serve(path, command, '--pace', pace, ...options);
      expect(served, served.err).toMatchObject({ code: 0, out: recorded.out });
      // Another moment of a cancel is no difference.
      const results = served.err.split('\n').filter((line) => line !== '' && !line.startsWith('   timing: '));
      expect(results.length).toBeGreaterThan(0);
      for (const result of results) expect(result).toMatch(/^\d+\. .+: as recorded$/);
    }
  });
});

describe('the recording that the built page exports', () => {
  it('answers the page with equal bytes', async () => {
    const path = join(folder, 'exported.voicewire.ndjson');
    const page = [process.execPath, '--import', 'tsx', pathOf('built-page.ts')];
    const recorded = await record(join(folder, 'page.voicewire.ndjson'), [...page, path]);
    expect(recorded, recorded.err).toMatchObject({ code: 0 });
    const served = await serve(path, page, '--pace', 'fast');
    expect(served, served.err).toMatchObject({ code: 0, out: recorded.out });
    expect(served.err).toContain('KugelAudio stream, exported.voicewire.ndjson: as recorded');
  });
});

describe('--pace fast', () => {
  const MOST_MS = 300;

  it('answers a turn of 15 s within 300 ms', async () => {
    const path = join(folder, 'long.voicewire.ndjson');
    const client = [process.execPath, pathOf('long-turn.mjs')];
    const recorded = await record(path, [...client, '1']);
    expect(recorded, recorded.err).toMatchObject({ code: 0 });
    const served = await serve(path, [...client, '9'], '--pace', 'fast', '--repeat');
    expect(served, served.err).toMatchObject({ code: 0 });
    const turns = served.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [first] = recorded.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { audioSeconds, digest } of turns) {
      expect(audioSeconds).toBeGreaterThanOrEqual(15);
      expect(digest).toBe(first.digest);
    }
    const times = turns.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    process.stdout.write(
      `A turn of ${first.audioSeconds} s: ${first.ms} ms when recorded, ${median} ms served (median of ${times.join(', ')}).\n`,
    );
    expect(median).toBeLessThan(MOST_MS);
  });
});
