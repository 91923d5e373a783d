import { fork } from 'node:child_process';
import { on } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentile } from '#lib/statistics/percentiles.ts';
import { startWatchedServer, type WatchedServer } from '../../bench/local-server.ts';
import { ms } from '../../bench/table.ts';
import { within } from '../../support/within.ts';
import { Neighbour } from '../server/neighbour.ts';
import type { AttackerOrder, AttackerReport } from './attacker.ts';
import { CROWDS } from './attacks.ts';
import { GENERATED } from './generated.ts';
import { HOSTILE_VOICES } from './hostile-hosts.ts';

/** Memory of the server under any attack: 700 MB. */
const MOST_MIB = 700e6 / 2 ** 20;
/** First audio beside an attack comes at most so much later than alone. */
const MOST_WAIT_MS = 250;
/** Processor time of one turn of the server's event loop under any attack. */
const MOST_TURN_MS = 100;
/** Beside crowds, which take the processors that the server needs. */
const MOST_FIRST_AUDIO_CROWDED_MS = 30_000;
/** A crowd needs so many times as long, because its first messages take seconds to make. */
const CROWD_TIMES = 3;
/** An ended attack waits this long for its last answers. */
const REPORT_WITHIN_MS = 180_000;
/** A generated attack sends everything first. Some have thousands of values. */
const ALL_SENT_WITHIN_MS = 270_000;
/** The log names the faults of a speech server. */
const OF_SPEECH_SERVER = /"error":"(?:SpeechFault|EngineBusyError)"/;

interface AttackLimits {
  /** Time for which the good client speaks alone, and beside each attack. */
  eachMs: number;
  /** No attack begins later, on the clock of `performance.now`. */
  untilMs: number;
  attacks: readonly string[];
}

export interface AttackVerdict {
  /** Of the table. */
  rows: Record<string, string>[];
  /** Broken promises of the server, on any machine. */
  problems: string[];
  /** First audio that came too late, which a busy machine may cause as well. */
  delays: string[];
}

/** Runs each attack on a server of its own beside a good client, which also speaks alone before and after. */
export async function runAttacks({ eachMs, untilMs, attacks }: AttackLimits): Promise<AttackVerdict> {
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  const attacker = startAttacker();
  const verdict: AttackVerdict = { rows: [], problems: [], delays: [] };
  try {
    const voices = join(directory, 'voices.json');
    await writeFile(voices, JSON.stringify(HOSTILE_VOICES.map((voice) => ({ voice }))));
    const first = await attacker.report();
    const hosts = 'environment' in first ? first.environment : {};
    for (const attack of attacks) {
      if (performance.now() >= untilMs) break;
      const server = await startWatchedServer({ ...hosts, VOICEWIRE_VOICES: voices });
      try {
        await runAttack(attack, { server, attacker, eachMs }, verdict);
      } finally {
        await server.stop();
      }
    }
    return verdict;
  } finally {
    attacker.stop();
    await rm(directory, { recursive: true });
  }
}

function startAttacker() {
  const path = fileURLToPath(new URL('./attacker.ts', import.meta.url));
  const child = fork(path, { execArgv: ['--import', 'tsx'] });
  const reports = on(child, 'message', { close: ['exit'] });
  return {
    order: (order: AttackerOrder): void => void child.send(order),
    async report(withinMs = REPORT_WITHIN_MS): Promise<AttackerReport> {
      const { value, done } = await within(withinMs, reports.next(), 'a report of the attacker');
      if (done) throw new Error('The attacker has ended.');
      return value[0];
    },
    stop: () => child.disconnect(),
  };
}

interface Scene {
  server: WatchedServer;
  attacker: ReturnType<typeof startAttacker>;
  eachMs: number;
}

async function runAttack(attack: string, { server, attacker, eachMs }: Scene, verdict: AttackVerdict) {
  const isCrowd = CROWDS.includes(attack);
  // The first turn of a server loads code.
  await new Neighbour(server).stop();
  const before = await listenFor(eachMs / 2, server);
  await server.probe();
  attacker.order({ attack, http: server.http, ws: server.ws });
  const sent = attack in GENERATED ? attacker.report(ALL_SENT_WITHIN_MS) : null;
  const beside = await listenFor(isCrowd ? CROWD_TIMES * eachMs : eachMs, server, sent);
  attacker.order('end');
  const report = await (sent ?? attacker.report());
  const peakMiB = server.peakMiB();
  // A server that has ended is among the faults.
  const { turnMaxMs } = await server.probe().catch(() => ({ turnMaxMs: Number.NaN }));
  // The load of the machine may change meanwhile.
  const after = await listenFor(eachMs / 2, server);
  const found = (problem: string) => verdict.problems.push(`${attack}: ${problem}`);

  if ('problem' in report && report.problem !== null) found(report.problem);
  for (const { problem } of [before, beside, after])
    if (problem !== null) found(`expected the good client to be served, got: ${problem}`);
  for (const line of server.faults())
    if (!OF_SPEECH_SERVER.test(line)) found(`expected no fault of the server, got ${line}`);
  if (turnMaxMs > MOST_TURN_MS && !isCrowd)
    found(`expected turns of at most ${ms(MOST_TURN_MS)} of the event loop, got ${ms(turnMaxMs)}`);
  if (peakMiB > MOST_MIB) found(`expected at most ${MOST_MIB.toFixed(0)} MiB, got ${peakMiB.toFixed(0)} MiB`);

  const alone = [...before.turns, ...after.turns];
  const figures: Record<string, string> = {};
  for (const [name, share] of [
    ['p50', 0.5],
    ['worst', 1],
  ] as const) {
    const [aloneMs, besideMs] = [firstAudioOf(alone, share), firstAudioOf(beside.turns, share)];
    const mostMs = isCrowd ? MOST_FIRST_AUDIO_CROWDED_MS : aloneMs + MOST_WAIT_MS;
    if (besideMs > mostMs)
      verdict.delays.push(
        `${attack}: expected first audio within ${ms(mostMs)} (${name}), got ${ms(besideMs)}`,
      );
    figures[`${name} alone`] = ms(aloneMs);
    figures[`${name} beside`] = ms(besideMs);
  }
  verdict.rows.push({
    attack,
    turns: `${alone.length} + ${beside.turns.length}`,
    ...figures,
    'all samples': beside.problem === null ? 'yes' : 'no',
    'longest turn': ms(turnMaxMs),
    'most RSS': `${peakMiB.toFixed(0)} MiB`,
  });
}

const firstAudioOf = (turns: Neighbour['turns'], share: number): number =>
  percentile(
    turns.map(({ firstAudioMs }) => firstAudioMs),
    share,
  );

/** A good client that speaks for a time. @param until and until this has happened */
async function listenFor(
  forMs: number,
  server: WatchedServer,
  until: Promise<unknown> | null = null,
): Promise<Neighbour> {
  const client = new Neighbour(server);
  await Promise.allSettled([pause(forMs), until]);
  await client.stop();
  return client;
}
