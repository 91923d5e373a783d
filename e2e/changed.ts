/**
 * `npm run test:changed -- [BASE]`: checks, unit tests and page tests that concern the uncommitted change, or all that
 * has come since the commit BASE. Without the tests that take minutes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ENDPOINTS } from '#protocol/registry.ts';

const [base = 'HEAD'] = process.argv.slice(2);

/** Page tests of a folder, by the beginning of a path; the first row that fits counts. Folders of vendors with a page test need none. */
const SPECS: readonly [path: string, ...specs: string[]][] = [
  ['src/app/compare/', 'compare'],
  ['src/app/benchmark/', 'benchmark'],
  ['src/benchmark/', 'benchmark'],
  ['src/app/present/', 'demo'],
  ['src/app/gallery/', 'demo'],
  ['src/app/studio/microphone/', 'microphone'],
  ['src/microphone/', 'microphone'],
  ['src/app/studio/timeline/', 'timeline', 'measures'],
  ['src/app/studio/measures/', 'measures'],
  ['src/app/studio/frames/', 'frames', 'heard'],
  ['src/app/studio/faults/', 'faults'],
  ['src/app/studio/live-model/', 'live-model'],
  ['src/app/transcription/', 'transcription'],
  ['src/app/studio/cast/', 'scene'],
  ['src/app/studio/tour/', 'tour'],
  ['src/app/settings/voices/', 'settings', 'demo'],
  ['src/app/settings/', 'settings'],
  ['src/app/editor/', 'settings'],
  ['src/app/recordings/', 'exchange', 'capture'],
  ['src/app/share/', 'exchange'],
  ['src/app/', 'speak', 'turns', 'layout', 'pictures'],
  ['src/trace/', 'turns', 'scene', 'murmr', 'exchange', 'capture'],
  ['src/recordings/', 'exchange', 'capture', 'replay'],
  ['src/player/', 'player', 'speak'],
  ['src/session/', 'speak', 'turns', 'scene', 'murmr'],
  ['src/text/spoken/', 'transcription'],
  ['src/text/', 'turns', 'scene', 'live-model'],
  ['src/command/measure/', 'benchmark'],
  ['src/command/', 'start'],
  ['src/server/', 'speak', 'start', 'murmr', 'capture', 'errors', 'faults'],
  ['src/protocol/', 'speak', 'murmr', 'capture', 'errors', 'faults'],
  ['src/', 'speak'],
  ['index.html', 'speak', 'first-load'],
  ['vite.config.ts', 'speak', 'first-load', 'bundle'],
  ['vite.command.config.ts', 'start'],
];

const IS_UNIT_TEST = /\.test\.tsx?$/;
const IS_HELPER = /^e2e\/.*\.ts$|\.test-helper\.tsx?$|\/testing\//;

/** The text of page tests and their helpers, by path. */
const pageTests = new Map(
  readdirSync('e2e', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `e2e/${name.replaceAll('\\', '/')}`)
    .map((path) => [path, readFileSync(path, 'utf8')]),
);

/** Adds the files of `e2e` that import one of these, also through other helpers. */
function withImporters(paths: ReadonlySet<string>): ReadonlySet<string> {
  const all = new Set(paths);
  for (const path of all) {
    const end = `/${basename(path)}'`;
    for (const [importer, text] of pageTests) if (text.includes(end)) all.add(importer);
  }
  return all;
}

const specNamed = (name: string): string => `e2e/${name}.spec.ts`;

/** The page test of the vendor in whose folder the file is; null where it has none. */
function ofVendor(path: string): string | null {
  const [, folder = ''] = /^src\/(?:protocol|server)\/(\w+)\//.exec(path) ?? [];
  const isVendor = ENDPOINTS.some(({ localPrefix }) => localPrefix === `/${folder}`);
  return isVendor && existsSync(specNamed(folder)) ? folder : null;
}

function specsOf(changed: readonly string[]): string[] {
  const helpers = changed.filter((path) => IS_HELPER.test(path) && !IS_UNIT_TEST.test(path));
  const importers = [...withImporters(new Set(helpers))].filter((path) => path.endsWith('.spec.ts'));
  const others = changed
    .filter((path) => !IS_HELPER.test(path) && !IS_UNIT_TEST.test(path))
    .flatMap((path) => ofVendor(path) ?? SPECS.find(([start]) => path.startsWith(start))?.slice(1) ?? [])
    .map(specNamed);
  return [...new Set([...importers, ...others])].filter((path) => existsSync(path));
}

function fail(message: string, status: number): never {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}

function run(command: string, args: readonly string[], shell = false): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', shell });
  if (error) fail(`${command} does not start: ${error.message}`, 2);
  if (status !== 0) process.exit(status ?? 1);
}

/** On Windows, npm is a script, which only a shell starts. */
const npm = (...args: string[]): void => run('npm', args, process.platform === 'win32');
const node = (...args: string[]): void => run(process.execPath, args);

function git(...args: string[]): string[] {
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) fail(`git ${args.join(' ')}: ${error?.message ?? stderr.trim()}`, 2);
  return stdout.split('\n').filter(Boolean);
}

const specs = specsOf([
  ...git('diff', '--name-only', base, '--'),
  ...git('ls-files', '--others', '--exclude-standard'),
]);
npm('run', 'check');
node('node_modules/vitest/vitest.mjs', 'run', '--changed', base, '--project', '!long', '--passWithNoTests');
if (specs.length > 0) {
  npm('run', 'build');
  const config = ['--config', 'e2e/playwright.config.ts', '--project', 'page'];
  node('node_modules/@playwright/test/cli.js', 'test', ...config, '--pass-with-no-tests', ...specs);
}
