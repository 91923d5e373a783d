import { parseArgs } from 'node:util';
import { counted } from '#lib/format.ts';
import { messageOf } from '#lib/message-of.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { VENDOR_HOSTS } from '#server/relay/targets.ts';
import { startWatchedServer, type WatchedServer } from '../bench/local-server.ts';
import type { ProbedFigures } from '../bench/server-probe.ts';
import { ms, printTable } from '../bench/table.ts';
import { wholeNumber } from '../support/whole-number.ts';
import { within } from '../support/within.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { runAttacks } from './attacks/attacks-part.ts';
import { type FuzzLimits, type FuzzPart, replayCase, runFuzz, watching } from './fuzz-part.ts';
import { filesPart } from './page/files-part.ts';
import { fuzzPage } from './page/fuzz-page.ts';
import { attackBrowser } from './page/page-part.ts';
import { workerPart } from './page/worker-part.ts';
import { printResults, reported, shortened } from './report.ts';
import { SECRET_KEY } from './server/client-scripts.ts';
import { fuzzServer } from './server/fuzz-server.ts';
import { httpPart } from './server/http-part.ts';
import { relayPart, socketPart } from './server/socket-part.ts';

/** `npm run fuzz`, as `e2e/README.md` describes it. Everything runs on this machine. */
const USAGE =
  'Usage: npm run fuzz -- [--frames 100000] [--seed 7] [--minutes 60] [--only server,attacks,worker,files,page] [--attack name,name] [--replay part:seed:path]';

const MOST_FRAMES = 5_000_000;
const MOST_MINUTES = 240;
/** Connections at once. */
const LANES = 8;
/** One file, and one frame to the browser, for this many frames, because they cost as much. */
const FRAMES_A_FILE = 50;
const FRAMES_A_PAGE_FRAME = 25;
/** Files to the browser, which shows each of them. */
const PAGE_FILES = 20;
/** Time of the good client alone, and beside each attack. */
const ATTACK_MS = 6000;
/** After the time of all parts, for the cases that are under way and for the end of browser and servers. */
const END_WITHIN_MS = 300_000;

const PARTS = ['server', 'attacks', 'worker', 'files', 'page'] as const;

/** Names of the parts that a finding names. */
const REPLAYED = [
  ...['sockets', 'relay', 'http', 'worker', 'files', 'page-files'],
  ...PAGE_ENDPOINTS.map(({ id }) => `page-${id}`),
];

const tell = (words: string): void => void process.stdout.write(`${words}\n`);

interface Asked {
  frames: number;
  seed: number;
  minutes: number;
  parts: readonly (typeof PARTS)[number][];
  attacks: readonly string[];
  replay: { part: string; seed: number; path: string } | null;
}

function readArguments(): Asked {
  const { values } = parseArgs({
    options: {
      frames: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '7' },
      minutes: { type: 'string', default: '60' },
      only: { type: 'string' },
      attack: { type: 'string' },
      replay: { type: 'string' },
    },
  });
  const allAttacks = Object.keys(ATTACKS);
  const attacks = values.attack?.split(',') ?? allAttacks;
  for (const name of attacks)
    if (!allAttacks.includes(name))
      throw new Error(`--attack: expected some of ${allAttacks.join(', ')}, got ${name}`);
  const only = values.only ?? (values.attack === undefined ? PARTS.join(',') : 'attacks');
  const parts = only.split(',').map((name) => {
    const part = PARTS.find((one) => one === name);
    if (!part) throw new Error(`--only: expected some of ${PARTS.join(', ')}, got ${name}`);
    return part;
  });
  const [, part, seed, path] = /^([\w-]+):(-?\d+):([\d:]*)$/.exec(values.replay ?? '') ?? [];
  if (values.replay !== undefined && (part === undefined || !REPLAYED.includes(part))) {
    const parts = REPLAYED.join(', ');
    throw new Error(`--replay: expected part:seed:path, the part one of ${parts}, got ${values.replay}`);
  }
  return {
    frames: wholeNumber('frames', values.frames, 1, MOST_FRAMES),
    seed: wholeNumber('seed', values.seed, -(2 ** 31), 2 ** 31 - 1),
    minutes: wholeNumber('minutes', values.minutes, 1, MOST_MINUTES),
    parts,
    attacks,
    replay: part === undefined ? null : { part, seed: Number(seed), path: path ?? '' },
  };
}

async function fuzzWatchedServer(limits: FuzzLimits): Promise<string[]> {
  const server = await startRelayingServer();
  try {
    const seen: ProbedFigures[] = [];
    const probe = async () => {
      const figures = await server.probe();
      seen.push(figures);
      return figures;
    };
    const { results, neighbour, heapMiB, problems } = await fuzzServer({ ...server, probe }, limits);
    const worst = (figure: (one: ProbedFigures) => number) => Math.max(...seen.map(figure));
    const firstMs = neighbour.turns.map(({ firstAudioMs }) => firstAudioMs);
    printResults('Server: mutated messages, requests and upgrades', results);
    printTable('A well-behaved client beside them', 'First audio from the flush, on this machine.', [
      {
        turns: String(firstMs.length),
        'first audio p50': ms(percentile(firstMs, 0.5)),
        p95: ms(percentile(firstMs, 0.95)),
        max: ms(Math.max(...firstMs)),
        'heap before': `${heapMiB.before.toFixed(0)} MiB`,
        after: `${heapMiB.after.toFixed(0)} MiB`,
        RSS: `${worst(({ residentMiB }) => residentMiB).toFixed(0)} MiB`,
        'loop delay p99': ms(worst(({ loopP99Ms }) => loopP99Ms)),
        'loop max': ms(worst(({ loopMaxMs }) => loopMaxMs)),
      },
    ]);
    return [...problems, ...reported(results)];
  } finally {
    await server.stop();
  }
}

async function attackServer(attacks: readonly string[], untilMs: number): Promise<string[]> {
  const { rows, problems, delays } = await runAttacks({ eachMs: ATTACK_MS, untilMs, attacks });
  printTable(
    'Server: a good client beside attacks',
    'First audio from the flush, alone and beside the attack. Each attack has a server of its own, and all share this machine.',
    rows,
  );
  return [...problems, ...delays];
}

async function fuzzHere<Case>(title: string, part: FuzzPart<Case>, limits: FuzzLimits): Promise<string[]> {
  const uncaught: string[] = [];
  const note = (error: unknown) => uncaught.push(`an uncaught ${messageOf(error)}`);
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  const result = await runFuzz(
    watching(part, () => uncaught),
    limits,
  );
  process.off('uncaughtException', note);
  process.off('unhandledRejection', note);
  printResults(title, [result]);
  return reported([result]);
}

async function fuzzInBrowser({ frames, ...limits }: FuzzLimits): Promise<string[]> {
  const server = await startWatchedServer();
  try {
    const share = Math.ceil(frames / FRAMES_A_PAGE_FRAME);
    const verdict = await fuzzPage(server, { ...limits, frames: share, files: Math.min(share, PAGE_FILES) });
    printResults('Page: mutated frames and files in Chromium', verdict.results);
    printTable('The page after them', 'A good turn is spoken after each case and heard to its last word.', [
      { 'good turns': String(verdict.goodTurns), 'most DOM nodes': String(verdict.mostNodes) },
    ]);
    const faults = [...verdict.problems, ...server.faults()];
    return [...reported(verdict.results), ...faults.map((fault) => `expected no fault, got ${fault}`)];
  } finally {
    await server.stop();
  }
}

async function replay({ part, seed, path }: NonNullable<Asked['replay']>): Promise<string[]> {
  if (part === 'worker') return reported([await replayCase(workerPart(), seed, path)]);
  if (part === 'files') return reported([await replayCase(await filesPart(), seed, path)]);
  const server = await startRelayingServer();
  try {
    const faults = () => server.faults();
    for (const sockets of [socketPart(server.ws), relayPart(server.ws)]) {
      if (sockets.name === part) return reported([await replayCase(watching(sockets, faults), seed, path)]);
    }
    const http = httpPart(server.http);
    if (part === http.name) return reported([await replayCase(watching(http, faults), seed, path)]);
    const browser = await attackBrowser(server);
    try {
      const attack = browser.attacks.find(({ name }) => name === part);
      return reported([
        await (attack ? replayCase(attack, seed, path) : replayCase(browser.files, seed, path)),
      ]);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

/** A server whose relay leads to a second one, so that nothing leaves this machine. */
async function startRelayingServer(): Promise<WatchedServer> {
  const target = await startWatchedServer({ VOICEWIRE_KEYS: SECRET_KEY });
  const server = await startWatchedServer({
    VOICEWIRE_KEYS: SECRET_KEY,
    ...Object.fromEntries(
      Object.keys(VENDOR_HOSTS).map((vendor) => [
        `VOICEWIRE_RELAY_${vendor.toUpperCase()}`,
        `${target.ws}/${vendor}`,
      ]),
    ),
  });
  return {
    ...server,
    faults: () => [...server.faults(), ...target.faults()],
    async stop() {
      await server.stop();
      await target.stop();
    },
  };
}

async function run({ frames, seed, minutes, parts, attacks, ...asked }: Asked): Promise<string[]> {
  if (asked.replay) return replay(asked.replay);
  const untilMs = performance.now() + minutes * 60_000;
  const limits = { frames, seed, untilMs, lanes: 1 };
  const fuzzers: Record<(typeof PARTS)[number], () => Promise<string[]>> = {
    server: () => fuzzWatchedServer({ ...limits, lanes: LANES }),
    attacks: () => attackServer(attacks, untilMs),
    worker: () => fuzzHere('Page: mutated server frames to the session worker', workerPart(), limits),
    files: async () =>
      fuzzHere('Page: mutated files to the importer', await filesPart(), {
        ...limits,
        frames: Math.ceil(frames / FRAMES_A_FILE),
      }),
    page: () => fuzzInBrowser(limits),
  };
  const problems: string[] = [];
  for (const part of parts) problems.push(...(await fuzzers[part]()));
  return problems;
}

// Ends the process explicitly, because a fault under test may keep a handle open.
try {
  const asked = readArguments();
  const limitMs = asked.minutes * 60_000 + END_WITHIN_MS;
  const problems = await within(limitMs, run(asked), 'all parts to end').catch((error) => [messageOf(error)]);
  for (const problem of problems) tell(`\n${asked.replay ? problem : shortened(problem)}`);
  tell(problems.length === 0 ? '\nNo findings.' : `\n${counted(problems.length, 'finding')}.`);
  process.exit(problems.length === 0 ? 0 : 1);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n${USAGE}\n`);
  process.exit(2);
}
