import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

/** Starts a child that would live for ever, and holds the same output open. */
const PARENT = `
  import { spawn } from 'node:child_process';
  import { endWithUs } from ${JSON.stringify(new URL('end-with-us.ts', import.meta.url).href)};
  const lives = "console.log('started'); setInterval(() => {}, 1000);";
  endWithUs(spawn(process.execPath, ['-e', lives], { stdio: ['ignore', 'inherit', 'inherit'] }));`;

it.each(['SIGKILL', 'SIGTERM'] as const)('ends a child whose parent ends by %s', async (signal) => {
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill(signal);
  // The output ends with the last process that holds it.
  expect(await once(parent, 'close')).toEqual([null, signal]);
});
