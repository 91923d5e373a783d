/**
 * Runs a command beside a thread that keeps one core busy, and passes its exit code on:
 * `node --import tsx e2e/beside-load.ts npm test`
 */
import { spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('Expected a command, as in: node --import tsx e2e/beside-load.ts npm test\n');
  process.exit(2);
}
new Worker('for (;;) {}', { eval: true });
// On Windows, npm is a script, which only a shell starts.
const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
child.once('error', ({ message }) => {
  process.stderr.write(`${command} does not start: ${message}\n`);
  process.exit(2);
});
child.once('close', (code) => process.exit(code ?? 1));
