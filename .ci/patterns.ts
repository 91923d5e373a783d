import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';
import { type ESTree, parseSync, Visitor } from 'vite';

/**
 * Checks every regular expression of `src` outside of tests as a part of `npm run check`: its time grows linearly with
 * the text, from each place of the text on. `recheck` takes seconds for some patterns, so that linear ones
 * are kept in `linear-patterns.txt`. New ones are checked, and added unless `CI` is set.
 */

/** Patterns that are not linear, with the bound of the texts that they see. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  (
    [
      [/-?(?:0|[1-9]\d*)(?=\.(?!\d)|(?:\.\d+)?[eE](?![+-]?\d))/, 'lib/json-text.ts: tried once a text'],
      [
        /([\w:-]+)\s*=\s*("[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)/,
        'server/speech/text/markup.ts: a tag of at most 200 characters',
      ],
      [/["'\u0029\]\u300d\u300f\uff09]+$/u, 'server/speech/text/pieces.ts: a piece of at most 700 sounds'],
    ] as const
  ).map(([pattern, bound]) => [String(pattern), bound]),
);

const CI = fileURLToPath(new URL('./', import.meta.url));
const SRC = join(CI, '../src');
const KEPT = join(CI, 'linear-patterns.txt');
const IS_TEST = /\.test\.|test-helper|\.bench\.|(^|\/)testing\//;
/** On a busy machine, a pattern takes its time. */
const LIMITS = { timeout: 60_000, randomSeed: 7 };
/** A part of a pattern that is not constant, such as an escaped word. */
const ANY_WORD = 'word';

interface Pattern {
  source: string;
  flags: string;
  place: string;
}

/** Top-level constants by name. Exported ones are known in every file. */
type Constants = ReadonlyMap<string, ESTree.Expression>;

const programs = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.(tsx?|mjs)$/.test(file) && !IS_TEST.test(file))
  .map((file) => {
    const text = readFileSync(join(SRC, file), 'utf8');
    const { program, errors } = parseSync(file, text);
    if (errors[0]) throw new Error(`src/${file}: ${errors[0].message}`);
    return { file, text, program };
  });

function constantsOf(statements: readonly (ESTree.Statement | ESTree.Declaration | null)[]): Constants {
  const declared = statements.flatMap((one) =>
    one?.type === 'VariableDeclaration' && one.kind === 'const' ? one.declarations : [],
  );
  return new Map(
    declared.flatMap(({ id, init }) => (id.type === 'Identifier' && init ? [[id.name, init]] : [])),
  );
}

const exported = new Map(
  programs.flatMap(({ program }) => [
    ...constantsOf(
      program.body.map((one) => (one.type === 'ExportNamedDeclaration' ? one.declaration : null)),
    ),
  ]),
);

/** Returns the value of an expression, with `ANY_WORD` for each part that is not constant. */
function evaluated(node: ESTree.Node, constants: Constants): string | number {
  const inner = (one: ESTree.Node) => evaluated(one, constants);
  switch (node.type) {
    case 'Literal':
      if ('regex' in node && node.regex) return node.regex.pattern;
      return typeof node.value === 'number' ? node.value : String(node.value);
    case 'Identifier': {
      const constant = constants.get(node.name) ?? exported.get(node.name);
      return constant ? inner(constant) : ANY_WORD;
    }
    case 'TemplateLiteral':
      return node.quasis
        .map(({ value }, at) => {
          const next = node.expressions[at];
          return `${value.cooked ?? value.raw}${next ? inner(next) : ''}`;
        })
        .join('');
    case 'TaggedTemplateExpression':
      return node.quasi.quasis
        .map(({ value }, at) => {
          const next = node.quasi.expressions[at];
          return `${value.raw}${next ? inner(next) : ''}`;
        })
        .join('');
    case 'BinaryExpression': {
      const [left, right] = [inner(node.left), inner(node.right)];
      const sign = node.operator === '-' ? -1 : 1;
      return typeof left === 'number' && typeof right === 'number' ? left + sign * right : `${left}${right}`;
    }
    case 'MemberExpression':
      return node.property.type === 'Identifier' && node.property.name === 'source'
        ? inner(node.object)
        : ANY_WORD;
    default:
      return ANY_WORD;
  }
}

const patterns = programs.flatMap(({ file, text, program }) => {
  const found: Pattern[] = [];
  const constants = constantsOf(program.body);
  const add = (node: ESTree.Node, source: string, flags: string) => {
    const line = text.slice(0, node.start).split('\n').length;
    found.push({ source, flags, place: `src/${file}:${line}` });
  };
  const addMade = (node: ESTree.NewExpression | ESTree.CallExpression) => {
    const [source, flags] = node.arguments;
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp' || !source) return;
    const known = flags ? String(evaluated(flags, constants)) : '';
    add(
      node,
      String(evaluated(source, constants)),
      /^[a-z]*$/.test(known) && known !== ANY_WORD ? known : 'iu',
    );
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex) add(node, node.regex.pattern, node.regex.flags);
    },
    NewExpression: addMade,
    CallExpression: addMade,
  }).visit(program);
  return found;
});

/** As the time of a pattern depends on it: a sticky pattern may be tried at each place of a text. */
const keyOf = ({ source, flags }: Pattern): string =>
  `/${source.replaceAll('\n', '\\n')}/${flags.replace(/[dgy]/g, '')}`;

const byKey = new Map(patterns.map((pattern) => [keyOf(pattern), pattern]));
const kept = new Set(existsSync(KEPT) ? readFileSync(KEPT, 'utf8').split('\n') : []);
const linear: string[] = [];
const problems: string[] = [];
for (const [key, pattern] of byKey) {
  if (EXCEPTIONS.has(key)) continue;
  if (!kept.has(key)) {
    const found = await check(pattern.source, pattern.flags.replace(/[dgy]/g, ''), LIMITS);
    if (found.status !== 'safe') {
      const why =
        found.status === 'vulnerable'
          ? `${found.complexity.summary}, as for ${found.attack.pattern}`
          : found.error.kind;
      problems.push(`${pattern.place}: ${key} is not linear: ${why}.`);
      continue;
    }
  }
  linear.push(key);
}
for (const key of EXCEPTIONS.keys())
  if (!byKey.has(key)) problems.push(`.ci/patterns.ts: no file has the exception ${key}; remove it.`);

const text = `${linear.sort().join('\n')}\n`;
if (!process.env.CI && text !== [...kept].join('\n')) writeFileSync(KEPT, text);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else process.stdout.write(`Patterns: ${byKey.size}, all linear but ${EXCEPTIONS.size} bounded ones.\n`);
