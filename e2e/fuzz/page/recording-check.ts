import type { Finding } from '#protocol/core/rule.ts';
import type { RecordingWorld } from '#recordings/testing/world.ts';
import { Broken } from '../fuzz-part.ts';

const ROWS = 200;
/** Instances of a decoder are made outside the world's clock. */
const CHECKED_WITHIN_MS = 10_000;

/**
 * Returns the findings in the shown recording by their entries. Throws unless the recordings worker has kept, checked, listed and
 * searched every entry.
 */
export async function checkRecording(world: RecordingWorld): Promise<Finding[]> {
  await world.advance(1000);
  const untilMs = performance.now() + CHECKED_WITHIN_MS;
  while (!isChecked(world) && world.failures.length === 0 && performance.now() < untilMs)
    await world.advance(1);
  const { recordings, view, failures } = world;
  if (failures.length > 0) throw new Broken(`expected no failure of the recordings, got ${failures[0]}`);
  const { check, shown } = view;
  if (!isChecked(world)) {
    throw new Broken(`expected all entries to be checked, got ${check?.checked} of ${check?.of}`);
  }
  const { rows, problem: unread } = await recordings.viewer.rows(0, ROWS, true);
  if (unread !== null || rows.length < Math.min(ROWS, shown?.rows ?? 0)) {
    throw new Broken(`expected all rows, got ${rows.length}: ${unread}`);
  }
  const { state, problem } = await recordings.viewer.search(
    { text: 'chunk', isRegex: true, matchCase: false, withAudio: true },
    () => {},
    new AbortController().signal,
  );
  if (state !== 'done') throw new Broken(`expected a search to end, got ${state}: ${problem}`);
  const all = Array.from({ length: shown?.loaded ?? 0 }, (_, at) => at);
  return recordings.viewer.findings({ entries: all }).findings.map(({ finding }) => finding);
}

/** The report of an older recording says nothing about the shown one. */
const isChecked = ({ view: { check, shown } }: RecordingWorld): boolean =>
  check?.recording === shown?.recording?.id && check?.checked === shown?.loaded;
