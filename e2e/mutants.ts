/**
 * Puts small faults into `src`, one at a time, and runs the unit tests of the same part of the code:
 * `node --import tsx e2e/mutants.ts --pick 60 --seed 7 > faults.json` picks faults from the present code;
 * `node --import tsx e2e/mutants.ts faults.json` lists which of them the tests of this checkout find.
 * One file of faults serves two checkouts, to compare a smaller suite with the one before.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seededRandom } from '#lib/statistics/random.ts';

interface Fault {
  file: string;
  /** The whole line, which is in the file once. */
  line: string;
  mutated: string;
}

/** Share of faults by floor, about that of their code with rules. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'src/server/': 20,
  'src/session/': 12,
  'src/protocol/': 6,
  'src/recordings/': 7,
  'src/trace/': 3,
  'src/player/': 5,
  'src/text/': 2,
  'src/benchmark/': 2,
  'src/app/': 5,
  'src/lib/': 4,
  'src/command/': 2,
  'src/microphone/': 2,
};

const OPERATORS: readonly [RegExp, string][] = [
  [/ === /, ' !== '],
  [/ !== /, ' === '],
  [/ < /, ' <= '],
  [/ > /, ' >= '],
  [/ <= /, ' < '],
  [/ >= /, ' > '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \+ /, ' - '],
  [/ - /, ' + '],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/(= )(\d[\d_]*)(;)/, '$12 * $2 + 1$3'],
  // A statement that has only an effect.
  [/^(\s+)(?:void )?(?:this|[a-z]\w*)[.#\w?]*\(.*\);$/, '$1'],
];

const IS_TEST = /\.test\.|test-helper|\/testing\/|\.d\.ts$|\.tsx$/;
/** Types, imports, comments and texts. */
const IS_NO_CODE =
  /^\s*(?:\*|\/\/|\/\*|import|export (?:type|interface)|type |interface |\||\[)|=>.*'.*[a-z] [a-z]|readonly /;

function faultsOf(file: string): Fault[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => !IS_NO_CODE.test(line) && !/['"`].* .*['"`]/.test(line))
    .filter((line) => lines.indexOf(line) === lines.lastIndexOf(line))
    .flatMap((line) =>
      OPERATORS.filter(([pattern]) => pattern.test(line)).map(([pattern, by]) => ({
        file,
        line,
        mutated: line.replace(pattern, by),
      })),
    );
}

function pick(count: number, seed: number): Fault[] {
  const random = seededRandom(seed);
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !IS_TEST.test(file))
    .sort();
  const total = Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0);
  return Object.entries(WEIGHTS).flatMap(([floor, weight]) => {
    const faults = files.filter((file) => file.startsWith(floor)).flatMap(faultsOf);
    return Array.from(
      { length: Math.round((count * weight) / total) },
      () => faults.splice(Math.floor(random() * faults.length), 1)[0],
    ).filter((fault) => fault !== undefined);
  });
}

/** The tests of the same floor, or of the same part of the server and of its sockets. */
function testsOf(file: string): string[] {
  const [, floor = '', part = ''] = file.split('/');
  if (floor !== 'server') return [`src/${floor}/`];
  const beside = readdirSync('src/server').filter((name) => name.endsWith('.test.ts'));
  return part.endsWith('.ts')
    ? beside.map((name) => `src/server/${name}`)
    : [
        `src/server/${part}/`,
        ...beside.filter((name) => name.startsWith('endpoint-')).map((name) => `src/server/${name}`),
      ];
}

/** `timed out` counts as found. `red before`: the tests fail without the fault, or there are none. */
type Outcome = 'found' | 'timed out' | 'not found' | 'not there' | 'red before';

let running: ChildProcess | null = null;
let restore = (): void => {};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    running?.kill('SIGKILL');
    restore();
    process.exit(2);
  });
}

async function runTests(tests: readonly string[], limitMs?: number): Promise<Outcome> {
  const projects = ['--project', '!detour', '--project', '!long'];
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', ...projects, ...tests];
  // An endless loop in a test ignores other signals.
  running = spawn(process.execPath, args, { stdio: 'ignore', timeout: limitMs, killSignal: 'SIGKILL' });
  const [status] = (await once(running, 'close')) as [number | null];
  if (status === null) return 'timed out';
  return status === 0 ? 'not found' : 'found';
}

/** Time limits in ms by tests; null where the tests fail without a fault. */
const limits = new Map<string, number | null>();

async function limitOf(tests: readonly string[]): Promise<number | null> {
  const key = tests.join(' ');
  if (!limits.has(key)) {
    const startMs = performance.now();
    const isGreen = (await runTests(tests)) === 'not found';
    // Enough for a test that hangs, which vitest ends after two minutes.
    limits.set(key, isGreen ? Math.ceil(4 * (performance.now() - startMs)) + 150_000 : null);
  }
  return limits.get(key) ?? null;
}

async function run({ file, line, mutated }: Fault): Promise<Outcome> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split('\n');
  const at = lines.indexOf(line);
  if (at < 0 || at !== lines.lastIndexOf(line)) return 'not there';
  const tests = testsOf(file);
  const limitMs = await limitOf(tests);
  if (limitMs === null) return 'red before';
  restore = () => writeFileSync(file, text);
  try {
    writeFileSync(file, lines.with(at, mutated).join('\n'));
    return await runTests(tests, limitMs);
  } finally {
    restore();
  }
}

const { values, positionals } = parseArgs({
  options: { pick: { type: 'string' }, seed: { type: 'string', default: '7' } },
  allowPositionals: true,
});
if (values.pick !== undefined) {
  process.stdout.write(`${JSON.stringify(pick(Number(values.pick), Number(values.seed)), null, 1)}\n`);
} else {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const fault of JSON.parse(readFileSync(positionals[0] ?? '', 'utf8')) as Fault[]) {
    const outcome = await run(fault);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    process.stdout.write(`${outcome}\t${fault.file}\t${fault.line.trim()}\t→ ${fault.mutated.trim()}\n`);
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
