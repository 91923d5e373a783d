import { existsSync } from 'node:fs';
import { access, constants, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '#lib/clock.ts';
import { messageOf } from '#lib/message-of.ts';
import { VENDORS } from '#protocol/registry.ts';
import { Capture } from '#server/capture/capture.ts';
import { writeCaptured } from './captured-recording.ts';
import { checkFiles } from './check-files.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { ACCEPTED, FORMATS, hasGraver, MAX_SEVERITY_HELP } from './findings-report.ts';
import { addressesOf, addressVariable, askedRoot, faultPath, oneOf, ROOT_OPTION } from './options.ts';
import { EXTENSION, numberedPath } from './recording-paths.ts';
import { runProgram, startBeside } from './run-program.ts';

/** Everything that a command sends and receives must fit. */
const MAX_CAPTURE_BYTES = 1024 * 1024 * 1024;
const MAX_CONNECTIONS = 10_000;

interface Asked {
  out: string;
  faults: string;
  relay: string | null;
  root: string | null;
  accepted: (typeof ACCEPTED)[number];
  command: readonly [string, ...string[]];
}

/** `voicewire capture -- program`; see `docs/capture.md`. */
export const captureCommand = command({
  usage: `voicewire capture [options] -- program args…`,
  about: `Starts a server on a free port, runs a program, records its connections and calls, and prints what it did
wrong. The program finds the server in VOICEWIRE_URL, and each vendor in a variable such as ${addressVariable(VENDORS[0] ?? '')}.`,
  options: {
    out: { type: 'string', default: `session${EXTENSION}`, value: 'FILE', help: 'where to write' },
    faults: {
      type: 'string',
      default: '',
      value: 'LIST',
      help: 'faults on every connection, such as latency=200',
    },
    relay: { type: 'string', value: 'VENDOR', help: `pass everything on to a vendor: ${VENDORS.join(', ')}` },
    root: ROOT_OPTION,
    'max-severity': { type: 'string', default: 'warning', value: 'SEVERITY', help: MAX_SEVERITY_HELP },
  },
  async run(values, positionals, behind) {
    const [program, ...args] = [...positionals, ...behind];
    if (program === undefined) {
      throw new CommandError('Expected a program behind --: voicewire capture [options] -- program args…');
    }
    return capture({
      out: values.out,
      faults: faultPath(values.faults),
      relay: values.relay === undefined ? null : oneOf('relay', values.relay, VENDORS),
      root: values.root === undefined ? null : askedRoot(values.root),
      accepted: oneOf('max-severity', values['max-severity'], ACCEPTED),
      command: [program, ...args],
    });
  },
});

async function capture(asked: Asked): Promise<number> {
  await expectWritable(asked.out);
  const captured = new Capture(systemClock, { maxBytes: MAX_CAPTURE_BYTES, maxConnections: MAX_CONNECTIONS });
  const { faults, relay, root } = asked;
  const server = await startBeside({
    capture: captured,
    ...(root !== null && { root, rootBehind: `${faults}${relay === root ? '/relay' : ''}` }),
  });
  // The shutdown ends connections that the command left open, so that all frames are there.
  const addresses = addressesOf(server.http, faults, relay);
  const status = await runProgram(asked.command, addresses).finally(() => server.stop());
  const files = await write(captured, asked.out);
  const recordings = await checkFiles(files);
  const { strays } = captured;
  if (strays.length > 0) process.stderr.write(describeStrays(strays, server.http));
  else if (recordings.length === 0) process.stderr.write(`${NOTHING}\n`);
  if (recordings.length > 0) process.stderr.write(FORMATS.text(recordings));
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

const NOTHING =
  'The command opened no connection and made no call. Its base URL must be that of VOICEWIRE_URL.';

/** Programs name the vendor by the path of their base URL, which some libraries drop. */
const describeStrays = (strays: readonly string[], origin: string): string =>
  `The command asked for paths that no vendor has at ${origin}:\n${strays.map((stray) => `  ${stray}\n`).join('')}` +
  `Its base URL must be that of VOICEWIRE_<VENDOR>_URL. Where it is, the program drops the path: end the URL with a slash, ` +
  `such as ${origin}/VENDOR/, or run capture with --root VENDOR.\n`;

/**
 * Writes a file for each connection, and one for the calls of each program. Removes further files of an earlier run.
 * @returns the paths, the given one first
 */
async function write(capture: Capture, out: string): Promise<string[]> {
  const paths: string[] = [];
  for (const connection of capture.connections.values()) {
    const path = numberedPath(out, paths.length + 1);
    await writeCaptured(connection, path);
    paths.push(path);
  }
  // A run without anything to record leaves the earlier recording.
  if (paths.length === 0) return paths;
  for (let number = paths.length + 1; existsSync(numberedPath(out, number)); number += 1) {
    await rm(numberedPath(out, number));
  }
  return paths;
}
