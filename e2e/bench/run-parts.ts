import { messageOf } from '#lib/message-of.ts';

/** Parts of the bench by name. Each prints its own tables. */
export type Parts = Readonly<Record<string, () => Promise<void>>>;

/**
 * Runs the named parts, or all, one after the other, also behind one that fails. Writes what failed and why.
 * @returns the exit code: 0, or 1 where a part is unknown or has failed
 */
export async function runParts(parts: Parts, asked: readonly string[], write: (line: string) => void) {
  const names = Object.keys(parts);
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    write(`There is no part named ${unknown.join(', ')}; there are ${names.join(', ')}.\n`);
    return 1;
  }
  const run = asked.length > 0 ? asked : names;
  const failed: string[] = [];
  for (const name of run) {
    try {
      await parts[name]?.();
    } catch (error) {
      failed.push(name);
      write(`\nThe part ${name} failed: ${error instanceof Error ? error.stack : messageOf(error)}\n`);
    }
  }
  if (failed.length === 0) return 0;
  write(`\n${failed.length} of ${run.length} parts failed: ${failed.join(', ')}.\n`);
  return 1;
}
