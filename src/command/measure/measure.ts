import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '#benchmark/plan.ts';
import { describeProblem, readPlan } from '#benchmark/read-plan.ts';
import { command } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { launchInstalled } from './chromium.ts';
import { measurePlan } from './measure-plan.ts';
import { hostsToAdmit, keysOf } from './plan-needs.ts';
import { startServerProcess } from './server-process.ts';
import { printSummary, resultsFailure } from './summary.ts';

const tell = (words: string): void => void process.stderr.write(`${words}\n`);

/** `voicewire measure plan.json`; see `docs/benchmark.md`. */
export const measureCommand = command({
  usage: 'voicewire measure [options] plan.json',
  about: `Runs a benchmark plan in a browser without a window, writes results.json and results.csv, and prints
percentiles and differences. Ends with 1 where all runs failed or a threshold was exceeded.`,
  options: {
    out: { type: 'string', default: 'measured', value: 'DIRECTORY', help: 'where to write' },
    url: { type: 'string', value: 'URL', help: 'use a running server instead of starting one' },
  },
  notes:
    'The command drives Chromium by the package playwright-core. CHROMIUM_PATH names a browser of your own.',
  async run({ out, url }, [path, ...others]) {
    if (path === undefined || others.length > 0) {
      throw new CommandError('Expected one plan: voicewire measure [options] plan.json');
    }
    return measure(await planIn(path), out, url?.replace(/(?<!\/)\/+$/, ''));
  },
});

async function measure(plan: Plan, out: string, url: string | undefined): Promise<number> {
  const keys = keysOf(plan, process.env);
  if (keys.missing.length > 0) throw new CommandError(keys.missing.join('\n'));
  await using browser = await launchInstalled();
  const admitted = { VOICEWIRE_CONNECT: hostsToAdmit(plan, process.env.VOICEWIRE_CONNECT) };
  const server = url === undefined ? await startServerProcess(admitted) : { http: url, stop: async () => {} };
  try {
    const { results, files } = await measurePlan(browser, plan, {
      origin: server.http,
      keys: keys.found,
      onProgress: progress(),
      onLog: tell,
    });
    await mkdir(out, { recursive: true });
    const written = { 'results.json': files.json, 'results.csv': files.csv };
    for (const [name, text] of Object.entries(written)) await writeFile(join(out, name), text);
    printSummary(results);
    tell(`Written to ${out}: ${Object.keys(written).join(', ')}.`);
    const failure = resultsFailure(results);
    if (failure === null) return EXIT.good;
    tell(failure);
    return EXIT.found;
  } finally {
    await server.stop();
  }
}

async function planIn(path: string): Promise<Plan> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${error.message}`,
    );
  });
  const { plan, problems } = readPlan(text);
  if (!plan) throw new CommandError(`${path} is no plan.\n${problems.map(describeProblem).join('\n')}`);
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
