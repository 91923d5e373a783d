import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { counted } from '#lib/format.ts';
import { messageOf } from '#lib/message-of.ts';
import { startWatchedServer } from '../bench/local-server.ts';
import { ms, printTable } from '../bench/table.ts';
import { launchChromium } from '../browser.ts';
import { SECRET_KEY } from '../fuzz/server/client-scripts.ts';
import { wholeNumber } from '../support/whole-number.ts';
import { meanOf } from './growth.ts';
import {
  LEAST_SAMPLES,
  type SoakOptions,
  type SoakResult,
  type SoakSample,
  serverMiB,
  soak,
} from './soak.ts';
import { type Verdict, verdictsOf } from './verdict.ts';

/**
 * `npm run soak -- [--minutes 10] [--sessions 8] [--seed 7]`: speaks on the page for minutes, while other clients use the
 * server. Everything runs on this machine. Ends with 0 where it held, 1 where it did not, 2 for wrong arguments.
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
  const server = await startWatchedServer({ VOICEWIRE_KEYS: SECRET_KEY });
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
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

const rowOf = (sample: SoakSample) => ({
  at: `${(sample.atMs / 1000).toFixed(0)} s`,
  turns: String(sample.page.turns),
  'cut off': String(sample.page.cutOff),
  frames: String(sample.page.frames),
  underruns: String(sample.page.underruns.length),
  nodes: String(sample.nodes),
  listeners: String(sample.listeners),
  page: mib(sample.pageMiB),
  session: mib(sample.sessionMiB),
  recordings: mib(sample.recordingsMiB),
  audio: mib(sample.audioThreadMiB),
  process: mib(sample.processMiB),
  'kept audio': mib(sample.keptAudioMiB),
  server: mib(serverMiB(sample)),
  captured: mib(sample.server.capturedMiB),
  RSS: mib(sample.server.residentMiB),
  'loop p99': ms(sample.server.loopP99Ms),
  'loop max': ms(sample.server.loopMaxMs),
  load: sample.load.toFixed(1),
  others: percent(sample.othersCpu),
});

const mib = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(1)} MiB`);
const percent = (share: number): string => (Number.isNaN(share) ? '' : `${(100 * share).toFixed(0)} %`);

const ROUNDS_NOTE = [
  'Memory is measured after a collection on every thread. "page", "session", "recordings" and "audio" are the threads of',
  'the page, with objects, DOM and array buffers. "process" is the anonymous memory of its process, which includes shared',
  'array buffers, compiled code and free room. "kept audio" is held on purpose for half an hour of turns, so that they can',
  'be heard again; "session" and "process" are without it. Recordings are stored by another process and not counted.',
  '"captured" are the frames of the last 500 clients, at most 40 MiB, which "server" is without.',
  '"load" is the average of the machine over a minute, "others" the share of the CPU that other programs used.',
].join('\n');

const VERDICT_NOTE = [
  'Growth is that of the least-squares line through the last half of the rounds. An underrun is not counted within a',
  'second of a measurement or of a stall of the server or this program, nor where its audio came late while other programs',
  'used more than a quarter of the CPU.',
].join('\n');

function print(result: SoakResult, verdicts: readonly Verdict[]): void {
  const { samples, sessions, longestStallMs } = result;
  const step = Math.max(1, Math.ceil(samples.length / MOST_ROWS));
  printTable(
    'Soak: the page after each round of all endpoints, and the server',
    ROUNDS_NOTE,
    samples.filter((_, at) => at % step === 0 || at === samples.length - 1).map(rowOf),
  );
  printTable(
    'Meanwhile',
    'Other clients send valid messages in any order, and check the answers by the rules.',
    [
      {
        conversations: String(sessions.cases),
        messages: String(sessions.frames),
        'longest stall': ms(longestStallMs),
        cores: String(availableParallelism()),
        'load now': (loadavg()[0] ?? Number.NaN).toFixed(1),
        'CPU of other programs': percent(meanOf(samples.map(({ othersCpu }) => othersCpu))),
      },
    ],
  );
  printTable(
    'Verdict',
    VERDICT_NOTE,
    verdicts.map(({ figure, measured, allowed, isMet }) => ({
      figure,
      measured,
      allowed,
      verdict: isMet === null ? '' : isMet ? 'met' : 'NOT MET',
    })),
  );
}

function summary({ samples, underruns }: SoakResult, problems: number): string {
  const excused = underruns.filter(({ excuse }) => excuse !== null).length;
  return [
    problems === 0 ? 'It held.' : counted(problems, 'problem', 'problems'),
    ...(samples.length < LEAST_SAMPLES
      ? [`Growth was not judged: ${samples.length} rounds, at least ${LEAST_SAMPLES} are needed.`]
      : []),
    ...(excused > 0
      ? [
          `${excused} underruns are not counted, because the machine was disturbed. Repeat it on an idle machine.`,
        ]
      : []),
  ].join('\n');
}

try {
  const options = readArguments();
  try {
    const result = await run(options);
    const verdicts = verdictsOf(result);
    const problems = verdicts.flatMap((verdict) => verdict.problems);
    print(result, verdicts);
    for (const problem of problems) tell(`\n${problem}`);
    tell(`\n${summary(result, problems.length)}`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n${USAGE}\n`);
  process.exitCode = 2;
}
