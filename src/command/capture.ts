import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { access, constants, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '#lib/clock.ts';
import { messageOf } from '#lib/message-of.ts';
import { Capture } from '#server/capture/capture.ts';
import { readEnvironment } from '#server/environment.ts';
import { VENDOR_HOSTS } from '#server/relay/targets.ts';
import { type RunningServer, startServer } from '#server/running-server.ts';
import { writeCaptured } from './captured-recording.ts';
import { type CheckedRecording, checkFile } from './check-files.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { ACCEPTED, FORMATS, hasGraver, MAX_SEVERITY_HELP } from './findings-report.ts';
import { addressesOf, addressVariable, faultPath, oneOf } from './options.ts';
import { startProblem } from './start-error.ts';

const VENDORS = Object.keys(VENDOR_HOSTS);
const EXTENSION = '.voicewire.ndjson';

/** Everything that a command sends and receives must fit. */
const MAX_CAPTURE_BYTES = 1024 * 1024 * 1024;
const MAX_CONNECTIONS = 10_000;

interface Asked {
  out: string;
  faults: string;
  relay: string | null;
  accepted: (typeof ACCEPTED)[number];
  command: readonly [string, ...string[]];
}

/** `voicewire capture -- program`; see `docs/capture.md`. */
export const captureCommand = command({
  usage: `voicewire capture [options] -- program args…`,
  about: `Starts a server on a free port, runs a program, records its connections and calls, and prints what it did
wrong. The program finds the server in VOICEWIRE_URL, ${VENDORS.map(addressVariable).join(' and ')}.`,
  options: {
    out: { type: 'string', default: `session${EXTENSION}`, value: 'FILE', help: 'where to write' },
    faults: {
      type: 'string',
      default: '',
      value: 'LIST',
      help: 'faults on every connection, such as latency=200',
    },
    relay: { type: 'string', value: 'VENDOR', help: `pass everything on to a vendor: ${VENDORS.join(', ')}` },
    'max-severity': { type: 'string', default: 'warning', value: 'SEVERITY', help: MAX_SEVERITY_HELP },
  },
  async run(values, [program, ...args]) {
    if (program === undefined) {
      throw new CommandError('Expected a program behind --: voicewire capture [options] -- program args…');
    }
    return capture({
      out: values.out,
      faults: faultPath(values.faults),
      relay: values.relay === undefined ? null : oneOf('relay', values.relay, VENDORS),
      accepted: oneOf('max-severity', values['max-severity'], ACCEPTED),
      command: [program, ...args],
    });
  },
});

async function capture(asked: Asked): Promise<number> {
  await expectWritable(asked.out);
  const captured = new Capture(systemClock, { maxBytes: MAX_CAPTURE_BYTES, maxConnections: MAX_CONNECTIONS });
  const server = await start(captured);
  // The shutdown ends connections that the command left open, so that all frames are there.
  const status = await run(asked, server.http).finally(() => server.stop());
  const files = await write(captured, asked.out);
  const recordings: CheckedRecording[] = [];
  for (const file of files) recordings.push(...(await checkFile(file)));
  process.stderr.write(recordings.length > 0 ? FORMATS.text(recordings) : `${NOTHING}\n`);
  if (status !== 0) {
    process.stderr.write(`The command ended with ${status}.\n`);
    return status;
  }
  return recordings.length === 0 || hasGraver(recordings, asked.accepted) ? EXIT.found : EXIT.good;
}

/** Checks the place of a file before the command runs, because its recording could not be repeated. @throws CommandError */
async function expectWritable(out: string): Promise<void> {
  try {
    await access(dirname(out), constants.W_OK);
  } catch (error) {
    throw new CommandError(`--out: ${dirname(out)} is no directory that can be written: ${messageOf(error)}`);
  }
  const place = await stat(out).catch(() => null);
  if (place?.isDirectory())
    throw new CommandError(`--out: expected the name of a file, ${out} is a directory.`);
}

async function start(captured: Capture): Promise<RunningServer> {
  try {
    const environment = { ...readEnvironment(process.env), host: '127.0.0.1', port: 0 };
    return await startServer(environment, { capture: captured });
  } catch (error) {
    const problem = startProblem(error);
    throw problem === undefined ? error : new CommandError(problem);
  }
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
  const stayForCommand = () => {};
  const endCommand = () => void child.kill('SIGTERM');
  process.on('SIGINT', stayForCommand);
  process.on('SIGTERM', endCommand);
  try {
    const [code] = await once(child, 'close');
    return typeof code === 'number' ? code : EXIT.found;
  } catch (error) {
    throw new CommandError(`${program} cannot be run: ${messageOf(error)}`);
  } finally {
    process.off('SIGINT', stayForCommand);
    process.off('SIGTERM', endCommand);
  }
}

/**
 * Writes a file for each connection, and one for the calls of each program. Removes further files of an earlier run.
 * @returns the paths, the given one first
 */
async function write(capture: Capture, out: string): Promise<string[]> {
  const paths: string[] = [];
  for (const connection of capture.connections.values()) {
    const path = pathOf(out, paths.length + 1);
    await writeCaptured(connection, path);
    paths.push(path);
  }
  // A run without anything to record leaves the earlier recording.
  if (paths.length === 0) return paths;
  for (let number = paths.length + 1; existsSync(pathOf(out, number)); number += 1) {
    await rm(pathOf(out, number));
  }
  return paths;
}

const pathOf = (out: string, number: number): string =>
  number === 1 ? out : out.replace(/((?:\.voicewire)?\.[^./]*)?$/, `-${number}$1`);
