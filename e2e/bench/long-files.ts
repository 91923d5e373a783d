import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { endWithUs } from '#lib/testing/end-with-us.ts';
import { LONG_SHAPES, writeLongRecording } from './long-recordings.ts';
import { printTable } from './table.ts';

const ENTRIES = 1_000_000;
/**
 * Heap of each command in MiB: no samples, facts or payloads of what is over, but in `serve` the head of each entry. A command
 * that needs more ends. Resident memory is no bound, because the engine collects garbage when it likes.
 */
const HEAP_MIB = { lint: 256, diff: 512, serve: 896 };
type CommandName = keyof typeof HEAP_MIB;
const COMMANDS = Object.keys(HEAP_MIB) as CommandName[];

/** Recordings without a client are read and left, because the program ends at once. */
const ARGUMENTS: Readonly<Record<CommandName, (file: string) => string[]>> = {
  lint: (file) => [file],
  diff: (file) => [file, file],
  serve: (file) => [file, '--', process.execPath, '-e', '0'],
};

/** Code of a program that cannot read the recording. */
const FAILED = 1;

/** Writes the figures of the process to its fourth file at its end. */
const REPORT = `data:text/javascript,${encodeURIComponent(`import { writeSync } from 'node:fs';
process.on('exit', () => writeSync(3, JSON.stringify(process.resourceUsage())));`)}`;

interface CommandFigures {
  /** Of processor time, in seconds. */
  cpuS: number;
  peakMiB: number;
}

async function measure(name: CommandName, file: string): Promise<CommandFigures> {
  const heap = `--max-old-space-size=${HEAP_MIB[name]}`;
  const args = [heap, '--import', REPORT, 'build/command/voicewire.js', name, ...ARGUMENTS[name](file)];
  const child = endWithUs(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] }));
  const [, , errors, report] = child.stdio;
  const [words, figures] = await Promise.all([
    errors ? text(errors) : '',
    report ? text(report as NonNullable<typeof errors>) : '',
    once(child, 'close'),
  ]);
  if (figures === '' || child.signalCode !== null)
    throw new Error(
      `${name}: expected to read the recording, got ${child.signalCode ?? FAILED}: ${words.slice(-500)}`,
    );
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(figures) as NodeJS.ResourceUsage;
  return { cpuS: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1024 };
}

/** Has each command read recordings of about so many entries. Returns the rows of a table. @throws where one ends early */
export async function readLongRecordings(
  entries: number,
  shapes = Object.keys(LONG_SHAPES),
): Promise<Record<string, string>[]> {
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  const rows: Record<string, string>[] = [];
  try {
    for (const name of shapes) {
      const shape = LONG_SHAPES[name];
      if (!shape) throw new Error(`There is no recording of ${name}.`);
      const file = join(directory, 'long.voicewire.ndjson');
      const written = await writeLongRecording(file, shape, entries);
      const row: Record<string, string> = { recording: name };
      for (const command of COMMANDS) {
        const { cpuS, peakMiB } = await measure(command, file);
        // A comparison reads both.
        const read = command === 'diff' ? 2 * written : written;
        row[command] = `${(read / cpuS / 1000).toFixed(0)},000/s`;
        row[`RSS of ${command}`] = `${peakMiB.toFixed(0)} MiB`;
      }
      rows.push(row);
    }
    return rows;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Entries a second and memory of the commands that read recordings. Fails where a command needs more heap than it has. */
export async function benchLongRecordings(): Promise<void> {
  printTable(
    'Recordings of a million entries',
    'Entries a second of processor time, and the most resident memory of each command.',
    await readLongRecordings(ENTRIES),
  );
}
