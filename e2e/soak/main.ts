import { parseArgs } from 'node:util';
import { messageOf } from '#lib/message-of.ts';
import { startWatchedServer } from '../bench/local-server.ts';
import { ms, printTable } from '../bench/table.ts';
import { launchChromium } from '../browser.ts';
import { EAGER_MEMORY } from '../support/page-memory.ts';
import { wholeNumber } from '../support/whole-number.ts';
import { type SoakOptions, type SoakResult, type SoakSample, soak } from './soak.ts';

/**
 * `npm run soak -- [--minutes 10] [--sessions 8] [--seed 7]`: speaks on the page for minutes, while other clients use the
 * server. Everything runs on this machine.
 */
const USAGE = 'Usage: npm run soak -- [--minutes 10] [--sessions 8] [--seed 7]';

const MOST_MINUTES = 24 * 60;
const MOST_SESSIONS = 100;
/** Rows in the last table. */
const MOST_ROWS = 24;

const tell = (words: string): void => void process.stdout.write(`${words}\n`);

function readArguments(): Omit<SoakOptions, 'sampled'> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      sessions: { type: 'string', default: '8' },
      seed: { type: 'string', default: '7' },
    },
  });
  return {
    forMs: 60_000 * wholeNumber('minutes', values.minutes, 1, MOST_MINUTES),
    sessions: wholeNumber('sessions', values.sessions, 0, MOST_SESSIONS),
    seed: wholeNumber('seed', values.seed, -(2 ** 31), 2 ** 31 - 1),
  };
}

async function run(options: SoakOptions): Promise<SoakResult> {
  const server = await startWatchedServer(0);
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required', EAGER_MEMORY);
  try {
    const page = await browser.newPage({ baseURL: server.http, viewport: { width: 1440, height: 900 } });
    return await soak(page, server, { ...options, sampled: (sample) => tell(lineOf(sample)) });
  } finally {
    await browser.close();
    await server.stop();
  }
}

const lineOf = (sample: SoakSample): string =>
  Object.entries(rowOf(sample))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

const rowOf = ({ atMs, page, nodes, listeners, heapMiB, allMiB, audioMiB, server, load }: SoakSample) => ({
  at: `${(atMs / 1000).toFixed(0)} s`,
  turns: String(page.turns),
  'cut off': String(page.cutOff),
  frames: String(page.frames),
  underruns: String(page.underruns.length),
  nodes: String(nodes),
  listeners: String(listeners),
  'page heap': `${heapMiB.toFixed(1)} MiB`,
  'with workers': `${allMiB.toFixed(1)} MiB`,
  'kept audio': `${audioMiB.toFixed(1)} MiB`,
  'server heap': `${server.heapMiB.toFixed(1)} MiB`,
  RSS: `${server.residentMiB.toFixed(0)} MiB`,
  'loop p99': ms(server.loopP99Ms),
  'loop max': ms(server.loopMaxMs),
  load: load.toFixed(1),
});

function print({ samples, sessions, growth, longestStallMs, unexplained }: SoakResult): void {
  const step = Math.max(1, Math.ceil(samples.length / MOST_ROWS));
  printTable(
    'Soak: the page after each round of all endpoints, and the server',
    'Heaps are measured after a collection. Load is the average of the machine over a minute.',
    samples.filter((_, at) => at % step === 0 || at === samples.length - 1).map(rowOf),
  );
  printTable('Growth over the last half', 'By the least-squares line through the samples.', [
    ...growth.map(({ title, unit, grown, allowed }) => ({
      figure: title,
      grown: `${grown.toFixed(1)} ${unit}`,
      allowed: `${allowed.toFixed(1)} ${unit}`,
    })),
  ]);
  printTable('Other clients of the server', 'Valid messages in any order, checked by the rules.', [
    {
      conversations: String(sessions.cases),
      messages: String(sessions.frames),
      findings: String(sessions.findings.length),
      'longest stall': ms(longestStallMs),
      'unexplained underruns': String(unexplained.length),
    },
  ]);
}

try {
  const result = await run(readArguments());
  print(result);
  for (const problem of result.problems) tell(`\n${problem}`);
  tell(result.problems.length === 0 ? '\nIt held.' : `\n${result.problems.length} problems.`);
  process.exitCode = result.problems.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n${USAGE}\n`);
  process.exitCode = 2;
}
