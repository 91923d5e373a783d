import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithUs } from '#lib/testing/end-with-us.ts';

/** The recipes of `docs/ci.md`. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Recipe {
  /** Contents by name. */
  files: Readonly<Record<string, string>>;
  /** Lines for a shell, in their order. */
  commands: readonly string[];
}

/** A code block, with the first file that the paragraph before it names. */
const BLOCK = /^((?:[^\n]+\n)*)\n```(\w+)\n([\s\S]*?)^```$/gm;

/** Reads the section of `docs/ci.md` with this title. */
export function readRecipe(title: string): Recipe {
  const page = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/ci.md has no section ${title}.`);
  const files: Record<string, string> = {};
  const commands: string[] = [];
  for (const [, before = '', language, text = ''] of section.matchAll(BLOCK)) {
    const name = /`([^`]+)`/.exec(before)?.[1];
    if (language === 'sh') commands.push(...text.trim().split('\n'));
    else if (name !== undefined) files[name] = text;
  }
  return { files, commands };
}

/** Variables by which a test runner knows its own workers. */
const OF_RUNNER = /^(?:VITEST|TINYPOOL|NODE_ENV$|TEST$|DEV$|PROD$|SSR$|MODE$|BASE_URL$)/;

/** A project of somebody who has installed `voicewire`, with the files of a recipe. */
export class RecipeProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param programs how further programs are called, by name */
  static async create(
    files: Recipe['files'],
    programs: Readonly<Record<string, string>> = {},
  ): Promise<RecipeProject> {
    const folder = await mkdtemp(join(tmpdir(), 'voicewire-recipe-'));
    const bin = join(folder, 'node_modules/.bin');
    await mkdir(bin, { recursive: true });
    for (const name of ['vitest', 'ws'])
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    const calls = {
      vitest: `"${process.execPath}" "${join(ROOT, 'node_modules/vitest/vitest.mjs')}"`,
      voicewire: `"${process.execPath}" "${join(ROOT, 'build/command/voicewire.js')}"`,
      ...programs,
    };
    for (const [name, call] of Object.entries(calls))
      await writeFile(join(bin, name), `#!/bin/sh\nexec ${call} "$@"\n`, { mode: 0o755 });
    const project = new RecipeProject(folder);
    await project.write({ 'package.json': '{ "private": true }', ...files });
    return project;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }

  /** Runs a line in a shell. @returns its exit code, and all it printed */
  async run(line: string): Promise<{ code: number; words: string }> {
    const own = Object.entries(process.env).filter(([name]) => !OF_RUNNER.test(name));
    const PATH = [join(this.folder, 'node_modules/.bin'), process.env.PATH].join(delimiter);
    const child: ChildProcess = endWithUs(
      spawn('sh', ['-c', line], {
        cwd: this.folder,
        env: { ...Object.fromEntries(own), PATH },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    let words = '';
    for (const output of [child.stdout, child.stderr])
      output?.on('data', (part) => {
        words += part;
      });
    const [code] = await once(child, 'close');
    return { code, words };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}
