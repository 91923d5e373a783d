import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { systemClock } from '#lib/clock.ts';
import { messageOf } from '#lib/message-of.ts';
import { Capture } from '#server/capture/capture.ts';
import { type Environment, readEnvironment, StartError } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { writeCaptured } from './captured-recording.ts';
import { type CheckedRecording, checkFile } from './check-files.ts';
import { CommandError, EXIT, runCommand } from './command-error.ts';
import { ACCEPTED, FORMATS, hasGraver } from './findings-report.ts';
import { addressesOf, faultPath, oneOf } from './options.ts';

/** `npm run capture -- --out file … -- command`; see `docs/capture.md`. */

const VENDORS = ['kugel', 'murmr'] as const;
const EXTENSION = '.voicewire.ndjson';

/** Everything that a command sends and receives must fit. */
const MAX_CAPTURE_BYTES = 1024 * 1024 * 1024;
const MAX_CONNECTIONS = 10_000;

const USAGE = `Usage: npm run capture -- --out session${EXTENSION} [--faults latency=200] [--relay ${VENDORS.join('|')}] [--max-severity ${ACCEPTED.join('|')}] -- command args…`;

interface Asked {
  out: string;
  faults: string;
  relay: (typeof VENDORS)[number] | null;
  accepted: (typeof ACCEPTED)[number];
  command: readonly [string, ...string[]];
}

async function main(): Promise<number> {
  const asked = readArguments();
  const capture = new Capture(systemClock, { maxBytes: MAX_CAPTURE_BYTES, maxConnections: MAX_CONNECTIONS });
  const server = await startServer({ ...environment(), host: '127.0.0.1', port: 0 }, { capture });
  // The shutdown ends connections that the command left open, so that all frames are there.
  const status = await run(asked, server.http).finally(() => server.stop());
  const files = await write(capture, asked.out);
  const recordings: CheckedRecording[] = [];
  for (const file of files) recordings.push(...(await checkFile(file)));
  process.stderr.write(recordings.length > 0 ? FORMATS.text(recordings) : `${NOTHING}\n`);
  if (status !== 0) {
    process.stderr.write(`The command ended with ${status}.\n`);
    return status;
  }
  return recordings.length === 0 || hasGraver(recordings, asked.accepted) ? EXIT.found : EXIT.good;
}

const NOTHING =
  'The command opened no connection and made no call. Its base URL must be that of VOICEWIRE_URL.';

/** Runs the command on the terminal of this one. @returns its exit code */
async function run({ command: [program, ...args], faults, relay }: Asked, origin: string): Promise<number> {
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...process.env, ...addressesOf(origin, faults, relay) },
  });
  // Ctrl-C reaches the command as well, which then ends by itself.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  try {
    const [code] = await once(child, 'close');
    return typeof code === 'number' ? code : EXIT.found;
  } catch (error) {
    throw new CommandError(`${program} cannot be run: ${messageOf(error)}`);
  }
}

/** Writes a file for each connection, and one for the calls of each program. @returns the paths, the given one first */
async function write(capture: Capture, out: string): Promise<string[]> {
  const paths: string[] = [];
  for (const connection of capture.connections.values()) {
    const number = paths.length + 1;
    const path = number === 1 ? out : out.replace(/((?:\.voicewire)?\.[^./]*)?$/, `-${number}$1`);
    await writeCaptured(connection, path);
    paths.push(path);
  }
  return paths;
}

function readArguments(): Asked {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string', default: `session${EXTENSION}` },
        faults: { type: 'string', default: '' },
        relay: { type: 'string' },
        'max-severity': { type: 'string', default: 'warning' },
      },
    });
    const [program, ...args] = positionals;
    if (program === undefined) throw new Error('expected a command behind --');
    return {
      out: values.out,
      faults: faultPath(values.faults),
      relay: values.relay === undefined ? null : oneOf('relay', values.relay, VENDORS),
      accepted: oneOf('max-severity', values['max-severity'], ACCEPTED),
      command: [program, ...args],
    };
  } catch (error) {
    throw new CommandError(`${messageOf(error)}\n${USAGE}`);
  }
}

function environment(): Environment {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    if (error instanceof StartError) throw new CommandError(error.message);
    throw error;
  }
}

runCommand(main);
