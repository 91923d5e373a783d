import { stripVTControlCharacters } from 'node:util';
import { counted } from '#lib/format.ts';
import { printTable } from '../bench/table.ts';
import type { FuzzResult } from './fuzz-part.ts';

export function printResults(title: string, results: readonly FuzzResult[]): void {
  printTable(
    title,
    'Cases are random conversations, requests or files; findings are broken invariants.',
    results.map(({ name, cases, frames, budget, seconds, findings }) => ({
      part: name,
      cases: String(cases),
      frames: String(frames),
      'asked for': String(budget),
      'a second': (frames / seconds).toFixed(0),
      findings: String(findings.length),
    })),
  );
  if (results.some(({ frames, budget }) => frames < budget)) {
    process.stdout.write('\nNot all frames were sent: the time was up, or there were too many findings.\n');
  }
}

/** Returns each finding with its replay and its example, which are hostile text. */
export const reported = (results: readonly FuzzResult[]): string[] =>
  results.flatMap(({ findings }) =>
    findings.map(
      ({ replay, problem, example, times }) =>
        `${shortened(problem, MOST_PROBLEM_LINES)}\n  seen ${times} times; npm run fuzz -- --replay ${replay}\n${example}`,
    ),
  );

const MOST_PROBLEM_LINES = 8;
const MOST_LINES = 24;
const MOST_CHARS = 200;

/** Returns the beginning of a text: of its lines, and of each line. Escape sequences of terminals are left out. */
export function shortened(text: string, mostLines = MOST_LINES): string {
  const lines = text.split('\n');
  const rest = lines.length - mostLines;
  return [
    ...lines
      .slice(0, mostLines)
      .map(
        (line) =>
          stripVTControlCharacters(line.slice(0, MOST_CHARS)) +
          (line.length > MOST_CHARS ? `… (${line.length} characters)` : ''),
      ),
    ...(rest > 0 ? [`  … ${counted(rest, 'more line')}`] : []),
  ].join('\n');
}
