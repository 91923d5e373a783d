import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '#lib/message-of.ts';
import { readEnvironment } from '#server/environment.ts';
import { type RunningServer, startServer } from '#server/running-server.ts';
import { CommandError, EXIT } from './command-error.ts';
import { startProblem } from './start-error.ts';

/** Starts a server for a program of this machine, on a free port unless one is given. @throws CommandError */
export async function startBeside(
  parts: Parameters<typeof startServer>[1],
  port: string | undefined = '0',
): Promise<RunningServer> {
  try {
    const environment = readEnvironment({ ...process.env, HOST: '127.0.0.1', PORT: port });
    return await startServer(environment, parts);
  } catch (error) {
    const problem = startProblem(error);
    throw problem === undefined ? error : new CommandError(problem);
  }
}

/** Runs a program on the terminal of this one. @returns its exit code @throws CommandError */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } });
  // Ctrl-C reaches the program as well, which then ends by itself.
  const stayForProgram = () => {};
  const endProgram = () => void child.kill('SIGTERM');
  process.on('SIGINT', stayForProgram);
  process.on('SIGTERM', endProgram);
  try {
    const [code] = await once(child, 'close');
    return typeof code === 'number' ? code : EXIT.found;
  } catch (error) {
    throw new CommandError(`${program} cannot be run: ${messageOf(error)}`);
  } finally {
    process.off('SIGINT', stayForProgram);
    process.off('SIGTERM', endProgram);
  }
}
