import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Checks the structure of `src` (`src/README.md`), as a part of `npm run check`:
 * each floor imports only from the floors listed for it, and no two folders import each other.
 */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  protocol: ['lib'],
  player: ['lib', 'protocol'],
  text: ['lib', 'protocol'],
  recordings: ['lib', 'protocol', 'player', 'text'],
  session: ['lib', 'protocol', 'player', 'text', 'recordings'],
  benchmark: ['lib', 'protocol', 'player', 'text', 'recordings', 'session'],
  app: ['lib', 'protocol', 'player', 'text', 'recordings', 'session', 'benchmark'],
  server: ['lib', 'protocol'],
};

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

/** One import for each pair of folders, neither of which lies in the other. */
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

for (const problem of [...upward, ...mutual]) process.stderr.write(`${problem}\n`);
if (upward.length + mutual.length > 0) process.exitCode = 1;
else process.stdout.write(`Rooms: ${files.length} files, imports go down only.\n`);
