import { once } from 'node:events';
import { counted } from '#lib/format.ts';
import { vendorOf } from '#protocol/registry.ts';
import { Cassette, hasAnswers, type Servable, type ServedRun } from '#server/served/cassette.ts';
import { readServable } from '#server/served/read-cassette.ts';
import { ServedRecordings } from '#server/served/served-recordings.ts';
import type { Engine } from '#server/speech/engine.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { addressesOf, askedEndpoint, askedRoot, ENDPOINT_OPTION, oneOf, ROOT_OPTION } from './options.ts';
import { readWhole } from './read-recordings.ts';
import { numberedPaths } from './recording-paths.ts';
import { runProgram, startBeside } from './run-program.ts';

const USAGE = 'voicewire serve [options] file… [-- program args…]';

/** `voicewire serve file…`; see `docs/serve.md`. */
export const serveCommand = command({
  usage: USAGE,
  about: `Starts a server that answers with recordings, and prints the base URL of each vendor. Runs a program beside it, if any,
which finds the server in the variables of capture. Ends with the code of the program, or with 3 where a client differed
from the recording.`,
  options: {
    port: {
      type: 'string',
      short: 'p',
      value: 'PORT',
      help: 'port, 0 for any free one (PORT, or 4173; with a program 0)',
    },
    pace: {
      type: 'string',
      default: 'recorded',
      value: 'PACE',
      help: 'recorded, or fast: frames without their waits',
    },
    strict: { type: 'boolean', help: 'compare frames as they are written, not their meaning' },
    'on-difference': {
      type: 'string',
      default: 'continue',
      value: 'WHAT',
      help: 'continue, or close the connection',
    },
    repeat: { type: 'boolean', help: 'begin again once every recorded connection was taken' },
    endpoint: ENDPOINT_OPTION,
    root: ROOT_OPTION,
  },
  async run(
    { port, pace, strict = false, 'on-difference': then, repeat = false, endpoint, root },
    files,
    [program, ...args],
  ) {
    if (files.length === 0) throw new CommandError(`Expected at least one file: ${USAGE}`);
    const manner = {
      pace: oneOf('pace', pace, ['recorded', 'fast'] as const),
      strict,
      closes: oneOf('on-difference', then, ['continue', 'close'] as const) === 'close',
      repeats: repeat,
    };
    const cassette = new Cassette(await readFiles(files, askedEndpoint(endpoint)), manner);
    const served = new ServedRecordings(cassette);
    const asked = port ?? (program === undefined ? process.env.PORT : '0');
    const parts = {
      served,
      engine: NO_ENGINE,
      capture: null,
      ...(root !== undefined && { root: askedRoot(root) }),
    };
    const server = await startBeside(parts, asked || DEFAULT_PORT);
    const addresses = vendorsOf(cassette).map((vendor) => `${vendor} ${server.http}/${vendor}\n`);
    process.stdout.write(addresses.join(''));
    const running =
      program === undefined ? ended() : runProgram([program, ...args], addressesOf(server.http, '', null));
    // A server that listens would keep the process of a program that cannot be run.
    const status = await running.finally(() => server.stop());
    process.stderr.write(reportOf(cassette));
    if (status !== 0 || program === undefined) return status;
    const isAsRecorded = !cassette.hasDifferences && leftOf(cassette).length === 0;
    return isAsRecorded ? EXIT.good : EXIT.differs;
  },
});

const DEFAULT_PORT = '4173';

/** Recordings need no engine. */
const NO_ENGINE: Engine = {
  synthesize: () => {
    throw new Error('a server of recordings has no engine');
  },
  close: async () => {},
};

async function readFiles(files: readonly string[], endpoint: string | null): Promise<Servable> {
  const read = await readWhole([...new Set(files.flatMap(numberedPaths))], endpoint, readServable);
  const connections = read.recordings.flatMap((one) => one.connections);
  const calls = read.recordings.flatMap((one) => one.calls);
  const notes = [...read.notes, ...read.recordings.flatMap((one) => one.notes)];
  for (const note of notes) process.stderr.write(`${note}\n`);
  if (!hasAnswers({ connections, calls }))
    throw new CommandError('Nothing in these files can be served: expected frames or answers of a server.');
  return { connections, calls, notes };
}

/** What no client has taken, in words. */
const leftOf = ({ connections, calls }: Cassette): string[] => [
  ...connections.left.map(({ title }) => title),
  ...calls.left.map(({ title, call: { request } }) => `${request.method} ${request.path}, ${title}`),
];

const vendorsOf = ({ connections, calls }: Cassette): string[] => [
  ...new Set(
    [...connections.all.map(({ endpoint }) => endpoint), ...calls.all.map(({ api }) => api)].map(vendorOf),
  ),
];

/** Resolves once a signal ends the server. */
async function ended(): Promise<number> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  return EXIT.good;
}

function reportOf(cassette: Cassette): string {
  const lines = [
    ...cassette.runs.flatMap(linesOf),
    ...leftOf(cassette).map((left) => `${left}: no client asked for it.`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function linesOf(run: ServedRun): string[] {
  const { number, what, recording, count } = run;
  const result = count === 0 ? 'as recorded' : counted(count, 'difference');
  return [
    `${number}. ${what}, ${recording ?? 'no recording left'}: ${result}`,
    ...run.lines().map((line) => `   ${line}`),
  ];
}
