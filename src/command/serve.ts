import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Cassette, type ServedRun } from '#server/served/cassette.ts';
import { clientDifferenceWords } from '#server/served/client-difference.ts';
import { MAX_SERVED_BYTES, type ReadRecording, RecordingToServe } from '#server/served/read-cassette.ts';
import { ServedRecordings } from '#server/served/served-recordings.ts';
import type { Manner } from '#server/served/served-session.ts';
import type { Engine } from '#server/speech/engine.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { addressesOf, oneOf } from './options.ts';
import { readRecordings } from './read-recordings.ts';
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
  },
  async run(
    { port, pace, strict = false, 'on-difference': then, repeat = false },
    files,
    [program, ...args],
  ) {
    if (files.length === 0) throw new CommandError(`Expected at least one file: ${USAGE}`);
    const manner: Manner = {
      pace: oneOf('pace', pace, ['recorded', 'fast'] as const),
      strict,
      closes: oneOf('on-difference', then, ['continue', 'close'] as const) === 'close',
    };
    const cassette = new Cassette(await readFiles(files), repeat);
    const served = new ServedRecordings({ cassette, manner });
    const asked = port ?? (program === undefined ? process.env.PORT : '0');
    const server = await startBeside({ served, engine: NO_ENGINE, capture: null }, asked || DEFAULT_PORT);
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

async function readFiles(files: readonly string[]): Promise<ReadRecording> {
  const paths = [...new Set(files.flatMap(numberedPaths))];
  const read: ReadRecording = { connections: [], calls: [], notes: [] };
  let bytes = 0;
  for (const path of paths) {
    bytes += (await stat(path).catch(() => null))?.size ?? 0;
    if (bytes > MAX_SERVED_BYTES)
      throw new CommandError(
        `${path}: expected at most ${MAX_SERVED_BYTES / 2 ** 20} MiB of recordings, because they are kept in memory.`,
      );
    const { recordings, notes } = await readRecordings(
      path,
      async (info, entries) => {
        const recording = new RecordingToServe(info, basename(path));
        for await (const entry of entries) recording.add(entry);
        return recording.read();
      },
      true,
    );
    read.notes.push(...notes.map((note) => `${path}: ${note}`), ...recordings.flatMap((one) => one.notes));
    read.connections.push(...recordings.flatMap(({ connections }) => connections));
    read.calls.push(...recordings.flatMap(({ calls }) => calls));
  }
  for (const note of read.notes) process.stderr.write(`${note}\n`);
  if (read.connections.length + read.calls.length === 0)
    throw new CommandError('Nothing in these files can be served: expected frames or answers of a server.');
  return read;
}

/** What no client has taken, in words. */
const leftOf = ({ connections, calls }: Cassette): string[] => [
  ...connections.left.map(({ title }) => title),
  ...calls.left.map(({ title, call: { request } }) => `${request.method} ${request.path}, ${title}`),
];

const vendorsOf = ({ connections, calls }: Cassette): string[] => [
  ...new Set(
    [...connections.all.map(({ endpoint }) => endpoint), ...calls.all.map(({ api }) => api)].map(
      ({ localPrefix }) => localPrefix.slice(1),
    ),
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

function linesOf({ number, what, recording, differences, count, moved }: ServedRun): string[] {
  const result = count === 0 ? 'as recorded' : `${count} ${count === 1 ? 'difference' : 'differences'}`;
  return [
    `${number}. ${what}, ${recording ?? 'no recording left'}: ${result}`,
    ...differences.map((difference) => `   ${clientDifferenceWords(difference)}`),
    ...(count > differences.length ? [`   and ${count - differences.length} more`] : []),
    ...moved.map((words) => `   timing: ${words}`),
  ];
}
