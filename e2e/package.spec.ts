import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { endWithUs } from '#lib/testing/end-with-us.ts';
import { samplesIn, startProgram } from './support/program.ts';

/** What `npm publish` would send, and what somebody gets who installs it. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Larger than today by a quarter. The detector of the microphone takes 5.6 MB of it. */
const MAX_BYTES = 15_000_000;

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: readonly { path: string }[];
}

const run = promisify(execFile);
const npm = (cwd: string, ...args: string[]) => run('npm', args, { cwd, maxBuffer: 2 ** 24 });

/** Packs what is built. `npm pack` would build it anew, while other tests are using it. */
async function pack(folder: string): Promise<Packed> {
  const { stdout } = await npm(ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  const [packed] = JSON.parse(stdout) as Packed[];
  if (!packed) throw new Error('npm pack named no tarball.');
  return packed;
}

/** Exit code and words of the installed program. */
async function voicewire(folder: string, ...args: string[]) {
  const child = endWithUs(spawn(join(folder, 'node_modules/.bin/voicewire'), args, { cwd: folder }));
  const said = { out: '', err: '' };
  child.stdout.on('data', (part) => {
    said.out += part;
  });
  child.stderr.on('data', (part) => {
    said.err += part;
  });
  const [code] = await once(child, 'close');
  return { code, ...said };
}

test('a packed tarball, installed in an empty folder, starts with one command and speaks', {
  tag: '@long',
}, async () => {
  const parent = await mkdtemp(join(tmpdir(), 'voicewire-package-'));
  const folder = join(parent, 'empty');
  await mkdir(folder);
  try {
    const { filename, size, files } = await pack(parent);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/licences.txt']));
    const foreign = /^(?:LICENSE|README\.md|package\.json|dist\/.+|docs\/.+|build\/command\/.+\.m?js)$/;
    expect(paths.filter((path) => !foreign.test(path) || /test|\.tsx?$/.test(path))).toEqual([]);
    expect(size).toBeLessThan(MAX_BYTES);

    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', join(parent, filename));
    const installed = await readdir(join(folder, 'node_modules'));
    expect(installed).toContain('voicewire');
    for (const name of ['react', '@base-ui', 'vite', 'tsx', 'typescript', 'playwright-core'])
      expect(installed).not.toContain(name);
    await expectOwnFiles(join(folder, 'node_modules/voicewire'), paths);

    const sample = 'node_modules/voicewire/dist/recordings/one-voice.voicewire.ndjson.gz';
    expect(await voicewire(folder, 'lint', sample)).toMatchObject({ code: 0, err: '' });
    const plan = 'node_modules/voicewire/docs/plans/two-voices.json';
    expect(await voicewire(folder, 'measure', plan)).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^measure drives .+ npm install playwright-core\n$/),
    });

    await expectServer(folder);
  } finally {
    await rm(parent, { recursive: true });
  }
});

/** No file names this machine. */
async function expectOwnFiles(directory: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const text = await readFile(join(directory, path), 'latin1');
    expect(text.includes(ROOT) || text.includes(`${homedir()}/`), `${path} names a path`).toBe(false);
  }
}

async function expectServer(folder: string): Promise<void> {
  const server = endWithUs(
    spawn(join(folder, 'node_modules/.bin/voicewire'), ['--port', '0'], {
      cwd: folder,
      env: { ...process.env, HOST: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    const address = /^Voicewire is ready at (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(line))?.[1] ?? '';
    expect(await (await fetch(`${address}/health`)).json()).toEqual({ status: 'healthy' });
    const page = await (await fetch(`${address}/`)).text();
    const script = /<script[^>]+src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await fetch(`${address}/${script}`)).headers.get('content-type')).toMatch(/javascript/);
    const path = '/kugel/ws/tts/stream?api_key=local';
    const program = await startProgram(address, { path, name: 'package test' });
    program.say({ text: 'Hello.', voice_id: 1071, language: 'en', flush: true });
    await program.frame('session_closed');
    expect(samplesIn(program.frames).some((sample) => Math.abs(sample) > 0.05)).toBe(true);
    await program.close();
    const ended = once(server, 'close');
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
  }
}
