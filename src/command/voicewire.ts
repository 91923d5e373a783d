#!/usr/bin/env node
import { loadProtocols } from '#protocol/protocols.ts';
import type { ShellCommand } from './command.ts';
import { CommandError, runCommand } from './command-error.ts';

/** `npx voicewire`, and every script of `package.json` that starts the server or a command. */

/** Each is loaded when it is called, so that the server starts without the others. */
const COMMANDS: ReadonlyMap<string, () => Promise<ShellCommand>> = new Map([
  ['capture', async () => (await import('./capture.ts')).captureCommand],
  ['diff', async () => (await import('./diff.ts')).diffCommand],
  ['lint', async () => (await import('./lint.ts')).lintCommand],
  ['serve', async () => (await import('./serve.ts')).serveCommand],
  ['open', async () => (await import('./open.ts')).openCommand],
  ['asyncapi', async () => (await import('./asyncapi.ts')).asyncapiCommand],
  ['measure', async () => (await import('./measure/measure.ts')).measureCommand],
]);

async function main(args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  if (name === '' || name.startsWith('-')) {
    const { startCommand } = await import('./start.ts');
    return startCommand(args);
  }
  const load = COMMANDS.get(name);
  if (load) {
    await loadProtocols();
    return (await load())(rest);
  }
  throw new CommandError(
    `There is no command ${name}. Expected ${[...COMMANDS.keys()].join(', ')}, or none, which starts the server.`,
  );
}

runCommand(() => main(process.argv.slice(2)));
