import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from '#protocol/core/zod.ts';
import { StartError } from '../environment.ts';
import { openDataFile } from './data-file.ts';

let directory: string;
let path: string;
let said: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-data-'));
  path = join(directory, 'data.json');
  said = [];
});
afterEach(() => rm(directory, { recursive: true }));

const openFile = (at = path) => openDataFile(at, (line) => said.push(line));
const names = z.array(z.string());
const read = async () => JSON.parse(await readFile(path, 'utf8'));

describe('data file', () => {
  it('keeps what a store has changed, and gives it to the next start', async () => {
    const file = openFile();
    let content = ['a'];
    const section = file.section('names', names, () => content);
    expect(section.loaded).toBeUndefined();
    content = ['a', 'b'];
    section.changed();
    await file.flush();
    expect(openFile().section('names', names, () => []).loaded).toEqual(['a', 'b']);
    expect(await readdir(directory)).toEqual(['data.json']);
    expect(said).toEqual([]);
  });

  it('writes changes of one moment once, and those during a write once more', async () => {
    const file = openFile();
    let content = ['1'];
    let reads = 0;
    const section = file.section('names', names, () => {
      reads += 1;
      return content;
    });
    for (let change = 0; change < 100; change += 1) section.changed();
    await null;
    await null;
    expect(reads).toBe(1);
    content = ['2'];
    for (let change = 0; change < 100; change += 1) section.changed();
    await file.flush();
    expect(reads).toBe(2);
    expect((await read()).names).toEqual(['2']);
  });

  it('writes back the parts that no store has claimed', async () => {
    await writeFile(path, JSON.stringify({ format: 'voicewire-data/1', names: ['a'], later: { b: 1 } }));
    const file = openFile();
    const { loaded, changed } = file.section('names', names, () => ['c']);
    expect(loaded).toEqual(['a']);
    changed();
    await file.flush();
    expect(await read()).toEqual({ format: 'voicewire-data/1', names: ['c'], later: { b: 1 } });
  });

  it('starts from an empty file, and writes it behind a link', async () => {
    const link = join(directory, 'link.json');
    await writeFile(path, '');
    await symlink(path, link);
    const file = openFile(link);
    file.section('names', names, () => ['a']).changed();
    await file.flush();
    expect((await read()).names).toEqual(['a']);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it.each([
    ['no JSON', '{"format":', 'expected a JSON object, got text that is no JSON'],
    ['a list', '[1]', 'expected a JSON object, got an array'],
    ['a file of something else', '{"name":"secret"}', 'format: expected "voicewire-data/1"'],
    ['a wrong part', '{"format":"voicewire-data/1","names":["a",2]}', 'names.1: expected a string'],
    ['a part of another kind', '{"format":"voicewire-data/1","names":{}}', 'names: expected an array'],
  ])('%s is reported in one line and left alone', async (_, text, problem) => {
    await writeFile(path, text);
    const file = openFile();
    const section = file.section('names', names, () => ['new']);
    file.section('more', names, () => []).changed();
    expect(section.loaded).toBeUndefined();
    section.changed();
    await file.flush();
    expect(await readFile(path, 'utf8')).toBe(text);
    const line = `VOICEWIRE_DATA: ${path} is not valid (${problem}). The file is left alone, and changes stay in memory.`;
    expect(said).toEqual([line]);
  });

  it('a write that fails is reported, and the next change tries again', async () => {
    const file = openFile();
    const section = file.section('names', names, () => ['a']);
    await rm(directory, { recursive: true });
    section.changed();
    await file.flush();
    expect(said).toEqual([expect.stringMatching(/^VOICEWIRE_DATA: [^\n]+ cannot be written: ENOENT$/)]);
    await mkdir(directory);
    section.changed();
    await file.flush();
    expect((await read()).names).toEqual(['a']);
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

  it('without a path nothing is kept', async () => {
    const file = openDataFile(undefined);
    const { loaded, changed } = file.section('names', names, () => ['a']);
    changed();
    await file.flush();
    expect(loaded).toBeUndefined();
  });
});
