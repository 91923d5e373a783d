import { existsSync } from 'node:fs';

export const EXTENSION = '.voicewire.ndjson';

/** The path of the nth file of a run, from 1: `session.voicewire.ndjson`, `session-2.voicewire.ndjson`. */
export const numberedPath = (first: string, number: number): string =>
  number === 1 ? first : first.replace(/((?:\.voicewire)?\.[^./]*)?$/, `-${number}$1`);

/** The file and those with further numbers that exist beside it. */
export function numberedPaths(first: string): string[] {
  const paths = [first];
  while (existsSync(numberedPath(first, paths.length + 1))) paths.push(numberedPath(first, paths.length + 1));
  return paths;
}
