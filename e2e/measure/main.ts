import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Plan } from '#benchmark/plan.ts';
import { describeProblem, readPlan } from '#benchmark/read-plan.ts';
import { startLocalServer } from '../bench/local-server.ts';
import { measurePlan } from './measure-plan.ts';
import { hostsToAdmit, keysOf } from './plan-needs.ts';
import { failureOf, printSummary } from './summary.ts';

/** `npm run measure -- plan.json [--out directory] [--url http://…]`; see `docs/benchmark.md`. */

const USAGE = 'Usage: npm run measure -- plan.json [--out directory] [--url http://127.0.0.1:4173]';
/** Nothing was measured: the plan cannot be used, or the call is wrong. */
const UNUSABLE = 2;
/** All runs failed, or the results break a limit of the plan. */
const NOT_GOOD = 1;

const tell = (words: string): void => void process.stderr.write(`${words}\n`);

/** A reason to end, in words for the person who called. */
class Unusable extends Error {}

async function main(): Promise<number> {
  const { path, out, url } = readArguments();
  const plan = await planIn(path);
  const keys = keysOf(plan, process.env);
  if (keys.missing.length > 0) throw new Unusable(keys.missing.join('\n'));
  const server = url
    ? null
    : await startLocalServer(0, { VOICEWIRE_CONNECT: hostsToAdmit(plan, process.env.VOICEWIRE_CONNECT) });
  try {
    const { results, files } = await measurePlan(plan, {
      origin: url ?? server?.http ?? '',
      keys: keys.found,
      onProgress: progress(),
      onLog: tell,
    });
    await mkdir(out, { recursive: true });
    const written = { 'results.json': files.json, 'results.csv': files.csv, 'report.html': files.html };
    for (const [name, text] of Object.entries(written)) await writeFile(join(out, name), text);
    printSummary(results);
    tell(`Written to ${out}: ${Object.keys(written).join(', ')}.`);
    const failure = failureOf(results);
    if (failure === null) return 0;
    tell(failure);
    return NOT_GOOD;
  } finally {
    await server?.stop();
  }
}

function readArguments(): { path: string; out: string; url: string | null } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { out: { type: 'string', default: 'measured' }, url: { type: 'string' } },
    });
    const [path, ...others] = positionals;
    if (path === undefined || others.length > 0) throw new Error('One plan is expected.');
    return { path, out: values.out, url: values.url?.replace(/\/+$/, '') ?? null };
  } catch (error) {
    throw new Unusable(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

async function planIn(path: string): Promise<Plan> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Unusable(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}`,
    );
  });
  const { plan, problems } = readPlan(text);
  if (!plan) throw new Unusable(`${path} is no plan.\n${problems.map(describeProblem).join('\n')}`);
  return plan;
}

/** One line that is written over on a terminal; elsewhere one for every tenth of the way. */
function progress(): (words: string) => void {
  let tenth = -1;
  return (words) => {
    if (process.stderr.isTTY) return void process.stderr.write(`\r\x1b[K${words}`);
    const [, done = '0', of = '1'] = /^(\d+) of (\d+)/.exec(words) ?? [];
    const now = Math.floor((10 * Number(done)) / Number(of));
    if (now === tenth) return;
    tenth = now;
    tell(words);
  };
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Unusable)) throw error;
  tell(error.message);
  process.exitCode = UNUSABLE;
}
