import { counted } from '#lib/format.ts';
import { DEFAULT_TOLERANCE_MS, type Differences, differencesOf } from '#recordings/difference/differences.ts';
import { DIFFERENCE_KINDS } from '#recordings/difference/frame-group.ts';
import { type Outline, outlineOf } from '#recordings/difference/outline.ts';
import { DIFFERENCE_COLUMNS, differenceWords } from '#session/measures/difference-words.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { oneOf } from './options.ts';
import { readRecordings } from './read-recordings.ts';

/** `voicewire diff A B`; see `docs/capture.md`. */
export const diffCommand = command({
  usage: 'voicewire diff [options] A B',
  about: `Compares two recordings or HAR files of the same client, also gzipped: messages, fields, texts, words,
times and bills. Ends with 1 where they differ in a kind of --fail-on, and with 2 where they cannot be compared.`,
  options: {
    format: { type: 'string', default: 'table', value: 'FORMAT', help: 'table, json' },
    'fail-on': {
      type: 'string',
      default: 'shape,words',
      value: 'KINDS',
      help: `differences that end with 1, of ${DIFFERENCE_KINDS.join(', ')}`,
    },
    tolerance: {
      type: 'string',
      default: `${DEFAULT_TOLERANCE_MS}`,
      value: 'MS',
      help: 'times that are closer are equal; 0 lists every difference of times and bills',
    },
  },
  async run({ format, 'fail-on': failOn, tolerance }, files) {
    const [fileA, fileB, ...others] = files;
    if (fileA === undefined || fileB === undefined || others.length > 0) {
      throw new CommandError('Expected two files: voicewire diff A B');
    }
    const print = { table: asTable, json: asJson }[oneOf('format', format, ['table', 'json'])];
    const failing = failOn.split(',').map((kind) => oneOf('fail-on', kind, DIFFERENCE_KINDS));
    const toleranceMs = millisecondsOf(tolerance);
    const [a, b] = [await read(fileA), await read(fileB)];
    const differences = compare(a, b, toleranceMs);
    process.stdout.write(print(differences));
    return differences.rows.some(({ kind }) => failing.includes(kind)) ? EXIT.found : EXIT.good;
  },
});

function millisecondsOf(text: string): number {
  const ms = Number(text);
  if (text.trim() !== '' && ms >= 0 && Number.isFinite(ms)) return ms;
  throw new CommandError(`--tolerance: expected milliseconds from 0 on, got ${text}`);
}

interface ReadFile {
  file: string;
  /** By the registry name of their endpoint, of which a file has one each. */
  outlines: ReadonlyMap<string, Outline>;
  notes: readonly string[];
}

async function read(file: string): Promise<ReadFile> {
  const { recordings, notes } = await readRecordings(
    file,
    async ({ endpoint }, entries) => [endpoint, await outlineOf(endpoint, entries)] as const,
    true,
  );
  return { file, outlines: new Map(recordings), notes: notes.map((note) => `${file}: ${note}`) };
}

/** @throws CommandError for recordings of different endpoints */
function compare(a: ReadFile, b: ReadFile, toleranceMs: number): Differences {
  const parts = [...a.outlines].flatMap(([endpoint, ofA]) => {
    const ofB = b.outlines.get(endpoint);
    return ofB ? [differencesOf(ofA, ofB, toleranceMs)] : [];
  });
  if (parts.length < Math.max(a.outlines.size, b.outlines.size)) {
    const named = [a, b].map(
      ({ file, outlines }) =>
        `${file} is of ${[...outlines.keys()].map((endpoint) => endpoint || 'an unknown endpoint').join(', ')}`,
    );
    throw new CommandError(`Expected recordings of the same endpoint: ${named.join(', ')}`);
  }
  return {
    rows: parts.flatMap(({ rows }) => rows),
    notes: [...a.notes, ...b.notes, ...parts.flatMap(({ notes }) => notes)],
  };
}

const asJson = (differences: Differences): string => `${JSON.stringify(differences, null, 2)}\n`;

function asTable({ rows, notes }: Differences): string {
  // Names may come from any server.
  const plain = (cell: string): string => cell.replace(/\p{Cc}/gu, ' ');
  const table = [DIFFERENCE_COLUMNS, ...rows.map((row) => Object.values(differenceWords(row)).map(plain))];
  const widths = DIFFERENCE_COLUMNS.map((_, at) => Math.max(...table.map((line) => line[at]?.length ?? 0)));
  const lines = table.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const found = rows.length === 0 ? ['No differences.'] : [...lines, '', counted(rows.length, 'difference')];
  return `${[...notes, ...found].join('\n')}\n`;
}
