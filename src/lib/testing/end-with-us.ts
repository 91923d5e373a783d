import { type ChildProcess, spawn } from 'node:child_process';

/** The system ends this input with the process that holds its other end, also on SIGKILL. */
const GUARD = 'read -r _; kill -KILL "$0"';

/**
 * Ends the child of any program with this process. No handler of this process runs on SIGKILL, and a server that
 * outlived its tests would go on for ever.
 */
export function endWithUs<T extends ChildProcess>(child: T): T {
  if (child.pid === undefined || process.platform === 'win32') return child;
  const guard = spawn('sh', ['-c', GUARD, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A group of its own, so that a signal to the group of the tests does not end the guard first.
    detached: true,
  });
  guard.unref();
  child.once('exit', () => guard.kill('SIGKILL'));
  return child;
}
