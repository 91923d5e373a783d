/**
 * `npm run test:changed -- [BASE]`: checks, unit tests and page tests that concern the uncommitted change, or all that
 * has come since the commit BASE.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const [base = 'HEAD'] = process.argv.slice(2);

/** Page tests of a folder, by the beginning of a path; the first row that fits counts. */
const SPECS: readonly [path: string, ...specs: string[]][] = [
  ['src/app/compare/', 'compare'],
  ['src/app/benchmark/', 'benchmark'],
  ['src/benchmark/', 'benchmark'],
  ['src/app/demo/', 'demo'],
  ['src/app/gallery/', 'demo'],
  ['src/app/picture/', 'demo'],
  ['src/app/programme/', 'demo'],
  ['src/app/studio/microphone/', 'microphone'],
  ['src/microphone/', 'microphone'],
  ['src/app/studio/timeline/', 'timeline', 'measures'],
  ['src/app/studio/measures/', 'measures'],
  ['src/app/studio/frames/', 'frames', 'heard'],
  ['src/app/studio/faults/', 'faults'],
  ['src/app/studio/live-model/', 'live-model'],
  ['src/app/studio/cast/', 'scene'],
  ['src/app/studio/tour/', 'tour'],
  ['src/app/settings/', 'settings'],
  ['src/app/editor/', 'settings'],
  ['src/app/recordings/', 'exchange', 'capture'],
  ['src/app/share/', 'exchange'],
  ['src/recordings/', 'exchange', 'capture', 'replay'],
  ['src/player/', 'player', 'speak'],
  ['src/app/', 'speak', 'turns', 'layout', 'pictures'],
  ['src/session/', 'speak', 'turns', 'scene', 'murmr'],
  ['src/', 'speak'],
  ['index.html', 'speak', 'first-load'],
  ['vite.config.ts', 'speak', 'first-load', 'bundle'],
];

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const git = (...args: string[]): string[] =>
  spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);

const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
const specs = changed
  .filter((path) => !/\.test\.tsx?$|test-helper|\/testing\//.test(path))
  .flatMap((path) => {
    const [, own] = /^e2e\/([\w-]+)\.spec\.ts$/.exec(path) ?? [];
    const [, ...others] = SPECS.find(([start]) => path.startsWith(start)) ?? [];
    return own === undefined ? others : [own];
  });
const files = [...new Set(specs)].map((name) => `e2e/${name}.spec.ts`).filter((file) => existsSync(file));

run('npm', 'run', 'check');
run('npx', 'vitest', 'run', '--changed', base, '--passWithNoTests');
if (files.length > 0) {
  run('npm', 'run', 'build');
  run('npx', 'playwright', 'test', '--config', 'e2e/playwright.config.ts', '--project', 'page', ...files);
}
