import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { messageOf } from '#lib/message-of.ts';
import { readEnvironment } from '#server/environment.ts';
import { serve } from '#server/serve.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { fileOfPackage } from './package-files.ts';
import { startProblem } from './start-error.ts';

/** Options of the commands that start the page. */
export const PAGE_OPTIONS = {
  port: { type: 'string', short: 'p', value: 'PORT', help: 'port, 0 for any free one (PORT, or 4173)' },
  host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (HOST, or 127.0.0.1)' },
  page: { type: 'string', value: 'DIRECTORY', help: 'serve another build of the page' },
} as const;

/** `voicewire` without a command: the page and its server. */
export const startCommand = command({
  usage: 'voicewire [options]',
  about: `Starts the page and the speech server behind it.

Commands, each with its own --help:
  voicewire capture -- program args…  runs a program against a server and records its connections
  voicewire lint file…                checks recordings and HAR files
  voicewire diff A B                  compares two recordings of the same client
  voicewire serve file…               answers clients with recordings
  voicewire open file                 starts the page with a recording in it
  voicewire asyncapi ENDPOINT         prints the AsyncAPI document of an endpoint
  voicewire measure plan.json         runs a benchmark plan in a browser without a window`,
  options: {
    ...PAGE_OPTIONS,
    open: { type: 'boolean', short: 'o', help: 'open the page in your browser' },
    version: { type: 'boolean', short: 'v', help: 'print the version and end' },
  },
  notes: 'Environment variables set everything else, see docs/deployment.md.',
  async run({ open, version, ...asked }, [unexpected]) {
    if (unexpected !== undefined) throw new CommandError(`Expected options only, got ${unexpected}.`);
    if (version) {
      process.stdout.write(`${packageVersion()}\n`);
      return EXIT.good;
    }
    const address = await startPage(asked);
    if (open) openPage(address);
    return EXIT.good;
  },
});

/** Starts the page and its server. Ends the process where they cannot start. @returns their origin */
export async function startPage(
  {
    port,
    host,
    page = fileOfPackage('dist'),
  }: Partial<Record<keyof typeof PAGE_OPTIONS, string | undefined>>,
  parts?: Parameters<typeof serve>[2],
): Promise<string> {
  const asked = { ...(port !== undefined && { PORT: port }), ...(host !== undefined && { HOST: host }) };
  try {
    return await serve(readEnvironment({ ...process.env, ...asked }), page, parts);
  } catch (error) {
    const problem = startProblem(error) ?? `Voicewire cannot start: ${messageOf(error)}`;
    // The words name variables, which the options replace.
    const named = problem.replace(/^(?:PORT|HOST)\b/, (name) =>
      name in asked ? `--${name.toLowerCase()}` : name,
    );
    process.stderr.write(`${named}\n`);
    // The port may be open already.
    process.exit(1);
  }
}

const packageVersion = (): string =>
  (JSON.parse(readFileSync(fileOfPackage('package.json'), 'utf8')) as { version: string }).version;

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of the system. Where that fails, the server goes on. */
export function openPage(address: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  // The address of all interfaces (`0.0.0.0`) opens in a browser on some systems only.
  const reachable = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const child = spawn(program, [...args, reachable], { stdio: 'ignore', detached: true });
  child.once('error', (error) => {
    process.stderr.write(
      `${program} does not open a browser: ${error.message}. Open ${reachable} yourself.\n`,
    );
  });
  child.unref();
}
