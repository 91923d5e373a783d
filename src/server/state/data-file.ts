import {
  accessSync,
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { tryLock, unlock } from 'fs-native-extensions';
import { addAll } from '#lib/collections/arrays.ts';
import { issuesOf } from '#protocol/core/issue.ts';
import { type Fields, parseFields } from '#protocol/core/json-frame.ts';
import type { z } from '#protocol/core/zod.ts';
import { StartError } from '../environment.ts';
import { StateUnavailable } from './state.ts';

/** First field of every data file, so that another JSON file named by mistake is never overwritten. */
const FORMAT = 'voicewire-data/1';

/** A part of the data file that one store owns. */
interface Section<T> {
  /** Content of the file at the start; undefined where it has none. */
  readonly loaded: T | undefined;
  /**
   * Resolves when the file holds the content. Rejects with `StateUnavailable` where it cannot be written. Then all
   * contents that wait are dropped, and their promises reject together, before anything else runs.
   */
  write(content: T): Promise<void>;
}

/** The file of `VOICEWIRE_DATA`, which keeps what clients create. */
export interface DataFile {
  /** Claims a part of the file. @throws StartError for a content that is not valid */
  section<T>(name: string, schema: z.ZodMiniType<T, T>): Section<T>;
  /** Resolves when everything is written. Then another server may open the file. */
  close(): Promise<void>;
}

const toStderr = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/**
 * Opens the data file for this process alone. @param report receives a line for each write that fails
 * @throws StartError for a file that is in use, not valid, or cannot be written
 */
export function openDataFile(named: string, report: (line: string) => void = toStderr): DataFile {
  const path = writablePath(named);
  const invalid = (problem: string) =>
    new StartError(`VOICEWIRE_DATA: ${path} is not valid (${problem}). Correct it, or name another file.`);
  let release = lock(path);
  let kept: Fields;
  try {
    removeTemporaries(path);
    kept = readFile(path, invalid);
  } catch (error) {
    release();
    throw error;
  }
  /** With the contents that wait. */
  let next = kept;
  let waiting: { resolve(): void; reject(error: Error): void }[] = [];
  let writing: Promise<void> | null = null;

  /** One write at a time. Contents that arrive during a write share the next one. */
  async function writeAll(): Promise<void> {
    // Contents of the same tick belong to the same write.
    await null;
    while (waiting.length > 0) {
      const group = waiting;
      const all = next;
      waiting = [];
      try {
        await replaceFile(path, `${JSON.stringify(all, null, 2)}\n`);
        kept = all;
        await syncDirectory(path, report);
        for (const { resolve } of group) resolve();
      } catch (error) {
        report(`VOICEWIRE_DATA: ${path} cannot be written: ${codeOf(error)}`);
        // Later contents include those that failed.
        addAll(group, waiting);
        waiting = [];
        next = kept;
        for (const { reject } of group) reject(new StateUnavailable('the data file cannot be written'));
      }
    }
    writing = null;
  }

  return {
    section: (name, schema) => ({
      loaded: kept[name] === undefined ? undefined : parsed(name, kept[name], schema, invalid),
      write: (content) =>
        new Promise((resolve, reject) => {
          next = { ...next, format: FORMAT, [name]: content };
          waiting.push({ resolve, reject });
          writing ??= writeAll();
        }),
    }),
    async close() {
      await writing;
      release();
      // The system gives the number of a closed file to the next one.
      release = () => {};
    },
  };
}

type Invalid = (problem: string) => StartError;

function readFile(path: string, invalid: Invalid): Fields {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw invalid(`cannot be read: ${codeOf(error)}`);
  }
  if (text.trim() === '') return {};
  const read = parseFields(text);
  if (!('fields' in read)) throw invalid(`expected a JSON object, got ${read.kind}`);
  if (read.fields.format !== FORMAT) throw invalid(`format: expected "${FORMAT}"`);
  return read.fields;
}

function parsed<T>(name: string, value: unknown, schema: z.ZodMiniType<T, T>, invalid: Invalid): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [{ path, expected, found } = { path: '', expected: 'another form', found: '' }] = issuesOf(
    error,
    value,
  );
  // Numbers only, because the file may hold texts.
  const got = /^-?[\d.e+]+$/.test(found) ? `, got ${found}` : '';
  throw invalid(`${[name, path].filter(Boolean).join('.')}: expected ${expected}${got}`);
}

/**
 * Locks a file until its release. The system drops the lock of a process that is killed. The file of the lock stays,
 * because a process that removes it could remove that of another one.
 */
function lock(path: string): () => void {
  const problem = (what: string) => new StartError(`VOICEWIRE_DATA: ${what}, or name another file.`);
  let close = () => {};
  try {
    const file = openSync(`${path}.lock`, 'a+', 0o600);
    close = () => closeSync(file);
    if (!tryLock(file)) {
      const holder = readFileSync(file, 'utf8') || 'another process';
      throw problem(`${path} is in use by ${holder}. End it`);
    }
    ftruncateSync(file);
    writeSync(file, `process ${process.pid} on ${hostname()}`);
    return () => {
      // A program that another thread starts at this moment has a copy of the file for a while, and of its lock.
      unlock(file);
      close();
    };
  } catch (error) {
    close();
    if (error instanceof StartError) throw error;
    throw problem(`${path}.lock cannot be locked: ${codeOf(error)}. Remove it while no server uses it`);
  }
}

const temporaryOf = (path: string): string => `${path}.tmp`;

/** Removes what processes that were killed during a write have left. Earlier versions added the number of the process. */
function removeTemporaries(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const suffix = name.startsWith(basename(path)) ? name.slice(basename(path).length) : '';
    if (/^(?:\.\d+)?\.tmp$/.test(suffix)) rmSync(join(dirname(path), name));
  }
}

/** Replaces a file in one step, so that a crash leaves the old or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = temporaryOf(path);
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes a rename durable. Never rejects, because the file has its new content already. */
async function syncDirectory(path: string, report: (line: string) => void): Promise<void> {
  try {
    const directory = await open(dirname(path), 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    // Some systems, such as Windows, sync no directories.
    if (['EPERM', 'EISDIR', 'EINVAL'].includes(codeOf(error))) return;
    report(`VOICEWIRE_DATA: the directory of ${path} cannot be synced: ${codeOf(error)}`);
  }
}

/** The path behind links, because a rename would replace a link. */
function writablePath(named: string): string {
  const path = resolve(named);
  const problem = (what: string) =>
    new StartError(`VOICEWIRE_DATA must name a file, not ${JSON.stringify(named)}: ${what}.`);
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory) throw problem('that is a directory');
  const real = isDirectory === undefined ? path : realpathSync(path);
  try {
    accessSync(dirname(real), constants.W_OK);
  } catch (error) {
    throw problem(
      codeOf(error) === 'ENOENT' ? 'its directory does not exist' : 'its directory cannot be written',
    );
  }
  return real;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
