import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fstatSync, statSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endWithUs } from '#lib/testing/end-with-us.ts';
import { z } from '#protocol/core/zod.ts';
import { StartError } from '../environment.ts';
import { type DataFile, openDataFile } from './data-file.ts';
import { openMemoryState } from './memory-state.ts';
import { type DocumentKind, StateUnavailable } from './state.ts';

let directory: string;
let path: string;
let said: string[];
let opened: DataFile[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-data-'));
  path = join(directory, 'data.json');
  said = [];
  opened = [];
});

afterEach(async () => {
  for (const file of opened) await file.close();
  await rm(directory, { recursive: true });
});

function openFile(at = path): DataFile {
  const file = openDataFile(at, (line) => said.push(line));
  opened.push(file);
  return file;
}

const names = z.array(z.string());
/** A content that reports the start of its write, which makes JSON once. */
const watched = (content: readonly string[], begun: () => void): string[] =>
  Object.defineProperty([...content], 'toJSON', {
    value: () => {
      begun();
      return [...content];
    },
  });
const read = async () => JSON.parse(await readFile(path, 'utf8'));

describe('data file', () => {
  it('has kept a content when its write resolves, and gives it to the next start', async () => {
    const file = openFile();
    const section = file.section('names', names);
    expect(section.loaded).toBeUndefined();
    await section.write(['a', 'b']);
    expect((await read()).names).toEqual(['a', 'b']);
    await file.close();
    expect(openFile().section('names', names).loaded).toEqual(['a', 'b']);
    expect(said).toEqual([]);
  });

  it('writes contents of one moment once, and those during a write once more', async () => {
    const section = openFile().section('names', names);
    let written = 0;
    const begun = new EventEmitter();
    const content = (name: string): string[] =>
      watched([name], () => {
        written += 1;
        begun.emit('write');
      });
    const first = once(begun, 'write');
    const writes = Array.from({ length: 100 }, () => section.write(content('1')));
    await first;
    expect(written).toBe(1);
    writes.push(...Array.from({ length: 100 }, () => section.write(content('2'))));
    await Promise.all(writes);
    expect(written).toBe(2);
    expect((await read()).names).toEqual(['2']);
  });

  it('writes back the parts that nobody has changed', async () => {
    await writeFile(path, JSON.stringify({ format: 'voicewire-data/1', names: ['a'], later: { b: 1 } }));
    const { loaded, write } = openFile().section('names', names);
    expect(loaded).toEqual(['a']);
    await write(['c']);
    expect(await read()).toEqual({ format: 'voicewire-data/1', names: ['c'], later: { b: 1 } });
  });

  it('starts from an empty file, and writes it behind a link', async () => {
    const link = join(directory, 'link.json');
    await writeFile(path, '');
    await symlink(path, link);
    await openFile(link).section('names', names).write(['a']);
    expect((await read()).names).toEqual(['a']);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['no JSON', '{"format":', 'expected a JSON object, got text that is no JSON'],
    ['a list', '[1]', 'expected a JSON object, got an array'],
    ['a file of something else', '{"name":"secret"}', 'format: expected "voicewire-data/1"'],
    ['a wrong part', '{"format":"voicewire-data/1","names":["a",2]}', 'names.1: expected a string, got 2'],
    [
      'a part of another kind',
      '{"format":"voicewire-data/1","names":{"1":"secret"}}',
      'names: expected an array',
    ],
  ])('%s ends the start in one line and is left alone', async (_, text, problem) => {
    await writeFile(path, text);
    expect(() => openFile().section('names', names)).toThrow(
      new StartError(`VOICEWIRE_DATA: ${path} is not valid (${problem}). Correct it, or name another file.`),
    );
    expect(await readFile(path, 'utf8')).toBe(text);
    await opened[0]?.close();
    await writeFile(path, '');
    openFile();
  });

  it('a write that fails is reported and drops what waits, and the next one is kept', async () => {
    const begun = new EventEmitter();
    const text: DocumentKind<string[], string[]> = {
      name: 'names',
      schema: names,
      open: (content) => [...(content ?? [])],
      contentOf: (model) => watched(model, () => begun.emit('write')),
    };
    const document = openMemoryState(openFile()).document(text);
    const add = (name: string) => document.change((all) => void all.push(name));
    await rm(directory, { recursive: true });
    const begins = once(begun, 'write');
    const failed = add('a');
    await begins;
    const outcomes = await Promise.allSettled([failed, add('b')]);
    expect(outcomes).toEqual(Array(2).fill({ status: 'rejected', reason: expect.any(StateUnavailable) }));
    expect(said).toEqual([expect.stringMatching(/^VOICEWIRE_DATA: [^\n]+ cannot be written: ENOENT$/)]);
    expect(document.current).toEqual([]);
    await mkdir(directory);
    const kept = add('c');
    expect(document.current).toEqual([]);
    await kept;
    expect(document.current).toEqual(['c']);
    expect((await read()).names).toEqual(['c']);
  });

  it('belongs to one process, which a second one names, until that process ends or is killed', async () => {
    const script = `
      import { openDataFile } from ${JSON.stringify(new URL('data-file.ts', import.meta.url).href)};
      openDataFile(process.argv[1]);
      console.log('open');
      setInterval(() => {}, 1000);`;
    const other = endWithUs(
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const opens = once(other.stdout, 'data');
    const [first] = await Promise.race([opens, once(other, 'exit')]);
    expect(String(first)).toBe('open\n');
    expect(() => openFile()).toThrow(StartError);
    expect(() => openFile()).toThrow(`${path} is in use by process ${other.pid} on `);
    other.kill('SIGKILL');
    await once(other, 'exit');
    const file = openFile();
    expect(() => openFile()).toThrow(`in use by process ${process.pid} on `);
    await file.close();
    openFile();
  });

  it('a lock that cannot be taken ends the start in one line', async () => {
    await mkdir(`${path}.lock`);
    expect(() => openFile()).toThrow(
      new StartError(
        `VOICEWIRE_DATA: ${path}.lock cannot be locked: EISDIR. Remove it while no server uses it, or name another file.`,
      ),
    );
  });

  it.each([
    ['EPERM', []],
    ['EIO', [expect.stringMatching(/^VOICEWIRE_DATA: the directory of [^\n]+ cannot be synced: EIO$/)]],
  ])(
    'keeps a content that is in the file, though its directory answers a sync with %s',
    async (code, lines) => {
      const handle = await open(directory);
      const files = Object.getPrototypeOf(handle) as typeof handle;
      await handle.close();
      const sync = vi.spyOn(files, 'sync').mockImplementation(async function (this: typeof handle) {
        if ((await this.stat()).isDirectory()) throw Object.assign(new Error(), { code });
      });
      const section = openFile().section('names', names);
      await section.write(['a']).finally(() => sync.mockRestore());
      expect((await read()).names).toEqual(['a']);
      expect(said).toEqual(lines);
    },
  );

  it('is free once it is closed, though a started program has a copy of its lock', async () => {
    const file = openFile();
    const { ino } = statSync(`${path}.lock`);
    const isLock = (descriptor: number): boolean => {
      try {
        return fstatSync(descriptor).ino === ino;
      } catch {
        return false;
      }
    };
    const descriptor = Array.from({ length: 1024 }, (_, at) => at).find(isLock);
    if (descriptor === undefined) throw new Error('The lock is open under no descriptor.');
    const program = endWithUs(
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        stdio: ['ignore', 'ignore', 'inherit', descriptor],
      }),
    );
    const ended = once(program, 'exit');
    await file.close();
    try {
      openFile();
    } finally {
      program.kill();
      await ended;
    }
  });

  it('a start removes what writes of killed processes have left, and nothing else', async () => {
    const others = ['data.json.bak', 'data.json.lock', 'other.json.tmp'];
    for (const name of ['data.json.tmp', 'data.json.4711.tmp', ...others])
      await writeFile(join(directory, name), '{');
    openFile();
    expect((await readdir(directory)).sort()).toEqual(others);
  });

  it.each([
    ['a directory', '.', 'that is a directory'],
    ['a directory that does not exist', 'none/data.json', 'its directory does not exist'],
  ])('%s ends the start', (_, name, why) => {
    expect(() => openFile(join(directory, name))).toThrow(StartError);
    expect(() => openFile(join(directory, name))).toThrow(
      new RegExp(`^VOICEWIRE_DATA must name a file, not "[^\\n]+": ${why}\\.$`),
    );
  });
});
