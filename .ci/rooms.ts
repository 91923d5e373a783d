import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Checks the structure of `src` as a part of `npm run check`:
 * - each floor imports only from the floors listed for it,
 * - no two folders import each other, unless one lies in the other,
 * - no imports form a cycle, types and workers included,
 * - the parts of a session know each other by at most `MAX_TIES` imports and functions that they are handed,
 * - no name is exported by two files, unless each of them is in the folders of another vendor,
 * - no folder holds more than `MAX_FILES` source files,
 * - no array of any length is spread into arguments,
 * - every path named in a `README.md` of `src` or `e2e` exists.
 */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  protocol: ['lib'],
  player: ['lib', 'protocol'],
  microphone: ['lib', 'player'],
  text: ['lib', 'protocol'],
  trace: ['lib', 'protocol', 'player'],
  recordings: ['lib', 'protocol', 'player', 'text', 'trace'],
  session: ['lib', 'protocol', 'player', 'microphone', 'text', 'trace', 'recordings'],
  benchmark: ['lib', 'protocol', 'player', 'text', 'trace', 'recordings', 'session'],
  app: ['lib', 'protocol', 'player', 'microphone', 'text', 'trace', 'recordings', 'session', 'benchmark'],
  server: ['lib', 'protocol', 'trace'],
  command: ['lib', 'protocol', 'trace', 'recordings', 'session', 'benchmark', 'server'],
};

/** The parts that `session/session.ts` and `session/replay/replay-run.ts` put together, with their inner files. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  connections: ['connections.ts', 'route.ts', 'link.ts'],
  recorder: ['recorder/recorder.ts'],
  publisher: ['publisher.ts'],
  conversation: ['turns/conversation.ts'],
  playback: [
    'playback/session-playback.ts',
    'playback/speaker-playback.ts',
    'playback/line-queue.ts',
    'playback/received-audio.ts',
  ],
  contexts: ['sending/contexts.ts'],
  models: ['sending/models.ts'],
  outbox: ['sending/outbox.ts', 'sending/budgets.ts', 'sending/cancels.ts'],
  speaking: ['sending/speaking.ts'],
  stopping: ['sending/stopping.ts'],
  watchdog: ['liveness-watchdog.ts'],
  followers: ['sending/followed-frames.ts', 'replay/client-replayer.ts'],
};

/**
 * The limit of imports between two parts, together with the functions that a part is handed, by which it reaches upwards. Those
 * of the session, which connects the parts, are not counted. The limit is the present number: a new tie replaces another.
 */
const MAX_TIES = 59;

/** Source files side by side in a folder: about 20. */
const MAX_FILES = 23;

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const IMPORT = /(?:from\s+|import\s*\(?\s*|new URL\(\s*)'((?:\.{1,2}\/|#)[^'?]+)/g;
const IS_TEST = /\.test\.|test-helper|\.bench\.|(^|\/)testing\//;

interface Import {
  from: string;
  to: string;
}

/** Paths are relative to `src`. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, specifier = '']) => ({
    from: file,
    to: specifier.startsWith('#') ? specifier.slice(1) : normalize(join(dirname(file), specifier)),
  }));
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(tsx?|mjs)$/.test(file),
);
const imports = files.flatMap(importsOf);

const floorOf = (file: string): string => file.split('/')[0] ?? '';

const upward = imports
  .filter(({ from, to }) => {
    const [floor, target] = [floorOf(from), floorOf(to)];
    // Tests of the whole look at several floors: a client of the server, say.
    return target in FLOORS && floor !== target && !FLOORS[floor]?.includes(target) && !IS_TEST.test(from);
  })
  .map(
    ({ from, to }) => `src/${from} imports src/${to}: ${floorOf(from)} may import ${FLOORS[floorOf(from)]}.`,
  );

/** Every folder that a file lies in, the innermost first. */
function foldersOf(file: string): string[] {
  const folder = dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

const isWithin = (folder: string, other: string): boolean => `${folder}/`.startsWith(`${other}/`);

/** One import for each pair of folders that do not contain each other. */
const between = new Map<string, Import>();
for (const { from, to } of imports.filter(({ from }) => !IS_TEST.test(from)))
  for (const folder of foldersOf(from))
    for (const other of foldersOf(to))
      if (!isWithin(folder, other) && !isWithin(other, folder))
        between.set(`${folder} ${other}`, { from, to });

const mutual = [...between].flatMap(([pair, { from, to }]) => {
  const [folder = '', other = ''] = pair.split(' ');
  const back = folder < other ? between.get(`${other} ${folder}`) : undefined;
  return back
    ? [`src/${folder} and src/${other} import each other: ${from} → ${to}, ${back.from} → ${back.to}.`]
    : [];
});

const sources = files.filter((file) => !IS_TEST.test(file));

/** Files that a source file imports, by file. */
const targets = new Map<string, Set<string>>();
for (const { from, to } of imports.filter(({ from }) => !IS_TEST.test(from)))
  targets.set(from, (targets.get(from) ?? new Set()).add(to));

/** Returns the shortest import cycle of a file; null where there is none. */
function cycleOf(start: string): string[] | null {
  const seen = new Set<string>();
  const paths = [[start]];
  for (let path = paths.shift(); path; path = paths.shift())
    for (const next of targets.get(path.at(-1) ?? '') ?? []) {
      if (next === start) return [...path, start];
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  return null;
}

const reported = new Set<string>();
const cycles = sources.flatMap((file) => {
  const cycle = reported.has(file) ? null : cycleOf(file);
  for (const one of cycle ?? []) reported.add(one);
  return cycle ? [`Imports form a cycle: ${cycle.map((one) => `src/${one}`).join(' → ')}.`] : [];
});

const partOf = (file: string): string | undefined =>
  Object.keys(PARTS).find((part) => PARTS[part]?.some((own) => file === `session/${own}`));
const edges = new Set(
  imports.flatMap(({ from, to }) => {
    const [part, other] = [partOf(from), partOf(to)];
    return part && other && part !== other ? [`${part} → ${other}`] : [];
  }),
);
/** Members that are functions, of the interfaces by which a part is handed something. */
const HANDED = /^(?:export )?interface \w+(?:Events|Options|Parts)\b[^{]*\{\n([\s\S]*?)^\}/gm;
const FUNCTION = /^ {2}(?:readonly )?(\w+)\??(?:\(|: .*=>)/gm;
const handed = files
  .filter((file) => partOf(file) !== undefined)
  .flatMap((file) =>
    [...readFileSync(join(SRC, file), 'utf8').matchAll(HANDED)].flatMap(([, members = '']) =>
      [...members.matchAll(FUNCTION)].map(([, name]) => `${file} ${name}`),
    ),
  );
const ties = [...edges, ...handed];
const tangled =
  ties.length > MAX_TIES
    ? [`The parts of a session have ${ties.length} ties, at most ${MAX_TIES}: ${ties.join(', ')}.`]
    : [];
const gone = Object.values(PARTS)
  .flat()
  .filter((own) => !files.includes(`session/${own}`))
  .map((own) => `PARTS names src/session/${own}, which does not exist.`);

const EXPORT = /^export (?:abstract )?(?:async )?(?:class|interface|type|function\*?|const|let|enum) (\w+)/gm;
const exporters = new Map<string, string[]>();
for (const file of sources)
  for (const name of new Set(
    [...readFileSync(join(SRC, file), 'utf8').matchAll(EXPORT)].map(([, name = '']) => name),
  ))
    exporters.set(name, [...(exporters.get(name) ?? []), file]);
/** The vendor whose folder a file is in: a folder that both the protocol and the server have. */
const vendorOf = (file: string): string | undefined => {
  const [, vendor = ''] = /^(?:protocol|server)\/([^/]+)\//.exec(file) ?? [];
  const has = (floor: string) => sources.some((other) => other.startsWith(`${floor}/${vendor}/`));
  return vendor !== '' && has('protocol') && has('server') ? vendor : undefined;
};
const areOfVendors = (by: readonly string[]): boolean => {
  const vendors = by.map(vendorOf);
  return !vendors.includes(undefined) && new Set(vendors).size === by.length;
};
const repeated = [...exporters]
  .filter(([, by]) => by.length > 1 && !areOfVendors(by))
  .map(([name, by]) => `${name} is exported by ${by.map((file) => `src/${file}`).join(' and ')}.`);

const sizes = new Map<string, number>();
for (const file of sources) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
const crowded = [...sizes]
  .filter(([, count]) => count > MAX_FILES)
  .map(([folder, count]) => `src/${folder} holds ${count} source files; divide it (at most ${MAX_FILES}).`);

/** Spread into arguments, an array of some 100,000 values overflows the stack. A `subarray` has a bound. */
const SPREAD =
  /(?:\.(?:push|unshift|splice)|Math\.(?:min|max)|String\.from(?:CharCode|CodePoint))\((?:[^(){}[\]]|\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\]|\{[^{}]*\})*?\.\.\.(?!\w+\.subarray\()/g;
const spreads = sources.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(SPREAD)].map(({ index }) => {
    const line = text.slice(0, index).split('\n').length;
    return `src/${file}:${line} spreads into arguments; use src/lib/collections/arrays.ts.`;
  });
});

const entries = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
const maps = [...entries.filter((entry) => entry.endsWith('README.md')), '../e2e/README.md'];
const lost = maps.flatMap((map) =>
  [...readFileSync(join(SRC, map), 'utf8').matchAll(/`([a-z][\w\-./]*(?:\/|\.tsx?))`/g)]
    .map(([, path = '']) => path.replace(/\/$/, ''))
    .filter((path) => !existsSync(join(SRC, '..', path)))
    .filter((path) => !entries.some((entry) => entry === path || entry.endsWith(`/${path}`)))
    .map((path) => `src/${map} names ${path}, which does not exist.`),
);

const problems = [...[upward, mutual, cycles, tangled, gone, repeated, crowded, spreads, lost].flat()];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else process.stdout.write(`Rooms: ${sources.length} files in ${sizes.size} folders, imports go down only.\n`);
