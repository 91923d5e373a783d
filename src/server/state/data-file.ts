import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { issuesOf } from '#protocol/core/issue.ts';
import { type Fields, parseFields } from '#protocol/core/json-frame.ts';
import type { z } from '#protocol/core/zod.ts';
import { StartError } from '../environment.ts';

/** First field of every data file, so that another JSON file named by mistake is never overwritten. */
const FORMAT = 'voicewire-data/1';

/** A part of the data file that one store owns. */
interface Section<T> {
  /** Content of the file at the start; undefined where it has none, or without a file. */
  readonly loaded: T | undefined;
  /** Schedules a write after a change of the store. */
  changed(): void;
}

/** Keeps what clients create: in the file of `VOICEWIRE_DATA`, otherwise in memory. */
export interface DataFile {
  /**
   * Claims a part of the file, before the first change of any part.
   * @param content the store's state, read when a write begins, so that many changes become one write
   */
  section<S extends z.ZodMiniType>(name: string, schema: S, content: () => z.input<S>): Section<z.output<S>>;
  /** Resolves when all changes are written. */
  flush(): Promise<void>;
}

const toStderr = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/**
 * Opens the data file; undefined or empty keeps everything in memory. An invalid file is reported in one line and never
 * written. Throws a StartError where no file can be.
 */
export function openDataFile(path: string | undefined, report: (line: string) => void = toStderr): DataFile {
  return path ? new JsonDataFile(writablePath(path), report) : MEMORY_ONLY;
}

const MEMORY_ONLY: DataFile = {
  section: () => ({ loaded: undefined, changed: () => {} }),
  flush: async () => {},
};

class JsonDataFile implements DataFile {
  readonly #path: string;
  readonly #report: (line: string) => void;
  /** Parts of the file by name. Those that no store claims are written back. */
  readonly #read: Fields;
  readonly #contents = new Map<string, () => unknown>();
  /** True for an invalid file. */
  #leftAlone = false;
  #changed = false;
  #writing: Promise<void> | null = null;

  constructor(path: string, report: (line: string) => void) {
    this.#path = path;
    this.#report = report;
    this.#read = this.#readFile();
  }

  section<S extends z.ZodMiniType>(name: string, schema: S, content: () => z.input<S>): Section<z.output<S>> {
    this.#contents.set(name, content);
    return { loaded: this.#load(name, schema), changed: () => this.#change() };
  }

  async flush(): Promise<void> {
    await this.#writing;
  }

  #load<S extends z.ZodMiniType>(name: string, schema: S): z.output<S> | undefined {
    const read = this.#read[name];
    if (read === undefined) return undefined;
    const parsed = schema.safeParse(read);
    if (parsed.success) return parsed.data;
    const [issue] = issuesOf(parsed.error, read);
    this.#leaveAlone(`${[name, issue?.path].filter(Boolean).join('.')}: expected ${issue?.expected}`);
    return undefined;
  }

  #readFile(): Fields {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') this.#leaveAlone(`cannot be read: ${codeOf(error)}`);
      return {};
    }
    if (text.trim() === '') return {};
    const read = parseFields(text);
    if ('fields' in read && read.fields.format === FORMAT) return read.fields;
    this.#leaveAlone(
      'fields' in read ? `format: expected "${FORMAT}"` : `expected a JSON object, got ${read.kind}`,
    );
    return {};
  }

  /** The problem repeats nothing of the file, because it may hold texts. */
  #leaveAlone(problem: string): void {
    if (!this.#leftAlone) {
      this.#report(
        `VOICEWIRE_DATA: ${this.#path} is not valid (${problem}). The file is left alone, and changes stay in memory.`,
      );
    }
    this.#leftAlone = true;
  }

  #change(): void {
    if (this.#leftAlone) return;
    this.#changed = true;
    this.#writing ??= this.#writeAll();
  }

  /** One write at a time. Changes during a write share the next one. */
  async #writeAll(): Promise<void> {
    // Changes of the same call belong to the same write.
    await null;
    while (this.#changed) {
      this.#changed = false;
      const contents = [...this.#contents].map(([name, content]) => [name, content()]);
      const all = { ...this.#read, format: FORMAT, ...Object.fromEntries(contents) };
      try {
        await replaceFile(this.#path, `${JSON.stringify(all, null, 2)}\n`);
      } catch (error) {
        this.#report(`VOICEWIRE_DATA: ${this.#path} cannot be written: ${codeOf(error)}`);
      }
    }
    this.#writing = null;
  }
}

/** Replaces a file in one step, so that a crash leaves the old or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
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
  const directory = await open(dirname(path), 'r');
  // A rename is durable when its directory is.
  await directory.sync().finally(() => directory.close());
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
