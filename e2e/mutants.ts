/**
 * Puts small faults into `src`, one at a time, and runs the unit tests of the same part of the code:
 * `node --import tsx e2e/mutants.ts --pick 60 --seed 7 > faults.json` picks faults from the present code;
 * `node --import tsx e2e/mutants.ts faults.json` tells which of them the tests of this checkout find.
 * The same file serves two checkouts, so that a smaller suite can be compared with the one before.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seededRandom } from '#lib/statistics/random.ts';

interface Fault {
  file: string;
  /** The line as it stands in the file, where it stands once. */
  line: string;
  mutated: string;
}

/** Share of faults by floor, about that of their code with rules. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'src/server/': 20,
  'src/session/': 12,
  'src/protocol/': 6,
  'src/recordings/': 7,
  'src/record/': 3,
  'src/player/': 5,
  'src/text/': 2,
  'src/benchmark/': 2,
  'src/app/': 5,
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
    .map((file) => `src/${file}`)
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

type Outcome = 'found' | 'not found' | 'not there';

function run({ file, line, mutated }: Fault): Outcome {
  const text = readFileSync(file, 'utf8');
  if (text.split('\n').filter((each) => each === line).length !== 1) return 'not there';
  writeFileSync(
    file,
    text
      .split('\n')
      .map((each) => (each === line ? mutated : each))
      .join('\n'),
  );
  try {
    const projects = ['--project', '!detour', '--project', '!long'];
    const args = ['vitest', 'run', '--bail', '1', ...projects, ...testsOf(file)];
    return spawnSync('npx', args, { encoding: 'utf8' }).status === 0 ? 'not found' : 'found';
  } finally {
    writeFileSync(file, text);
  }
}

const { values, positionals } = parseArgs({
  options: { pick: { type: 'string' }, seed: { type: 'string', default: '7' } },
  allowPositionals: true,
});
if (values.pick !== undefined) {
  process.stdout.write(`${JSON.stringify(pick(Number(values.pick), Number(values.seed)), null, 1)}\n`);
} else {
  const faults = JSON.parse(readFileSync(positionals[0] ?? '', 'utf8')) as Fault[];
  const counts: Record<Outcome, number> = { found: 0, 'not found': 0, 'not there': 0 };
  for (const fault of faults) {
    const outcome = run(fault);
    counts[outcome] += 1;
    process.stdout.write(`${outcome}\t${fault.file}\t${fault.line.trim()}\t→ ${fault.mutated.trim()}\n`);
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
