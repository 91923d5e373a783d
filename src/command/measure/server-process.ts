import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CommandError } from '../command-error.ts';

/** A server that measures do not disturb, because it has a process of its own. */
interface ServerProcess {
  http: string;
  stop(): Promise<void>;
}

/** Starts this program as a server on a free port. @param environment set besides this process's own */
export async function startServerProcess(
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const [, program = ''] = process.argv;
  const args = [...process.execArgv, program, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // This process may end without calling `stop`.
  const cut = () => child.kill('SIGKILL');
  process.once('exit', cut);
  const http = await serverAddress(child, child.stdout);
  return {
    http,
    async stop() {
      process.off('exit', cut);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the address in the first line of a server. @throws CommandError where it ends before */
export async function serverAddress(child: ChildProcess, output: Readable | null): Promise<string> {
  if (!output) throw new CommandError('The server has no standard output.');
  const [line] = await Promise.race([
    once(createInterface({ input: output }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new CommandError(`The server ended with ${code} before it was ready.`);
    }),
  ]);
  return String(line).replace(/^.* at /, '');
}
