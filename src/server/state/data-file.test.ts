import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
    const serialised = (name: string): string[] => {
      // JSON is made once a write.
      const content = [name];
      Object.defineProperty(content, 'toJSON', {
        value: () => {
          written += 1;
          return [...content];
        },
      });
      return content;
    };
    const writes = Array.from({ length: 100 }, () => section.write(serialised('1')));
    await null;
    await null;
    expect(written).toBe(1);
    writes.push(...Array.from({ length: 100 }, () => section.write(serialised('2'))));
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
  });

  it('a write that fails is reported and drops what waits, and the next one is kept', async () => {
    const text: DocumentKind<string[], string[]> = {
      name: 'names',
      schema: names,
      open: (content) => [...(content ?? [])],
      contentOf: (model) => model,
    };
    const document = openMemoryState(openFile()).document(text);
    const add = (name: string) => document.change((all) => void all.push(name));
    await rm(directory, { recursive: true });
    const failed = add('a');
    // Now its write has begun.
    await null;
    await null;
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
    const other = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, path]);
    await once(other.stdout, 'data');
    expect(() => openFile()).toThrow(StartError);
    expect(() => openFile()).toThrow(`${path} is in use by process ${other.pid} on `);
    other.kill('SIGKILL');
    await once(other, 'exit');
    const file = openFile();
    expect(() => openFile()).toThrow(`in use by process ${process.pid} on `);
    await file.close();
    openFile();
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
