import { deserialize, serialize } from 'node:v8';
import { counted } from '#lib/format.ts';
import { DEFAULT_TOLERANCE_MS, differencesOf } from '#recordings/difference/differences.ts';
import { DIFFERENCE_KINDS, type FactsData } from '#recordings/difference/facts.ts';
import { factsOf, type KeepFacts } from '#recordings/difference/read-facts.ts';
import { differenceWords } from '#session/measures/difference-words.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { printTable } from './measure/print-table.ts';
import { askedEndpoint, ENDPOINT_OPTION, oneOf } from './options.ts';
import { PayloadFile } from './payload-file.ts';
import { readRecordings } from './read-recordings.ts';

/** `voicewire diff A B`; see `docs/capture.md`. */
export const diffCommand = command({
  usage: 'voicewire diff [options] A B',
  about: `Compares two recordings or HAR files of the same client, also gzipped: messages, fields, texts, words,
times and bills. Ends with 1 where they differ in a kind of --fail-on, and with 2 where they cannot be compared, or only up
to where a file is damaged or cut off.`,
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
    endpoint: ENDPOINT_OPTION,
  },
  async run({ format, 'fail-on': failOn, tolerance, endpoint }, files) {
    const [fileA, fileB, ...others] = files;
    if (fileA === undefined || fileB === undefined || others.length > 0) {
      throw new CommandError('Expected two files: voicewire diff A B');
    }
    const isJson = oneOf('format', format, ['table', 'json']) === 'json';
    const failing = failOn.split(',').map((kind) => oneOf('fail-on', kind, DIFFERENCE_KINDS));
    const toleranceMs = Number(tolerance);
    if (tolerance.trim() === '' || !Number.isFinite(toleranceMs) || toleranceMs < 0) {
      throw new CommandError(`--tolerance: expected milliseconds from 0 on, got ${tolerance}`);
    }
    const asked = askedEndpoint(endpoint);
    // Each has a file of its own, which is read in its order.
    const [a, b] = [await read(fileA, asked, factsInFile()), await read(fileB, asked, factsInFile())];
    if (a.endpoints !== b.endpoints) {
      const named = `${fileA} is of ${a.endpoints}, ${fileB} is of ${b.endpoints}`;
      throw new CommandError(`Expected recordings of the same endpoint: ${named}`);
    }
    const parts = a.recordings.flatMap(({ facts }, at) => {
      const other = b.recordings[at];
      return other ? [differencesOf(facts, other.facts, toleranceMs)] : [];
    });
    const rows = parts.flatMap((part) => part.rows);
    const notes = [...a.notes, ...b.notes, ...parts.flatMap((part) => part.notes)];
    if (isJson) process.stdout.write(`${JSON.stringify({ rows, notes }, null, 2)}\n`);
    else if (rows.length === 0) process.stdout.write(`${[...notes, 'No differences.'].join('\n')}\n`);
    else printTable(counted(rows.length, 'difference'), notes.join('\n'), rows.map(differenceWords), 'left');
    if (rows.some(({ kind }) => failing.includes(kind))) return EXIT.found;
    return a.isDamaged || b.isDamaged ? EXIT.unusable : EXIT.good;
  },
});

/** Returns a keeper of facts in a temporary file. */
function factsInFile(): KeepFacts {
  const file = new PayloadFile();
  return (data) => {
    const place = file.add(new Uint8Array(serialize(data)));
    return () => deserialize(file.read(place) as Uint8Array) as FactsData;
  };
}

/** Reads a file, which has one recording of an endpoint. */
async function read(file: string, asked: string | null, keep: KeepFacts) {
  const { recordings, notes, missing } = await readRecordings(file, asked, async ({ endpoint }, entries) => ({
    endpoint: endpoint || 'an unknown endpoint',
    facts: await factsOf(endpoint, entries, keep),
  }));
  recordings.sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
  const endpoints = recordings.map(({ endpoint }) => endpoint).join(', ');
  const isDamaged = missing.length > 0;
  return { recordings, endpoints, isDamaged, notes: notes.map((note) => `${file}: ${note}`) };
}
