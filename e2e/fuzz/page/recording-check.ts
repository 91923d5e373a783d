import type { RecordingWorld } from '#recordings/testing/world.ts';
import { Broken } from '../fuzz-part.ts';

const ROWS = 200;

/** Throws unless the recordings worker has kept, checked, listed and searched every entry. */
export async function checkRecording(world: RecordingWorld): Promise<void> {
  await world.advance(1000);
  const { recordings, view, failures } = world;
  if (failures.length > 0) throw new Broken(`expected no failure of the recordings, got ${failures[0]}`);
  const { check, shown } = view;
  if (!check || check.checked !== check.of) {
    throw new Broken(`expected all entries to be checked, got ${check?.checked} of ${check?.of}`);
  }
  const { rows, problem: unread } = await recordings.viewer.rows(0, ROWS, new AbortController().signal);
  if (unread !== null || rows.length < Math.min(ROWS, shown?.rows ?? 0)) {
    throw new Broken(`expected all rows, got ${rows.length}: ${unread}`);
  }
  const { state, problem } = await recordings.viewer.search(
    { text: 'chunk', isRegex: true, matchCase: false, withAudio: true },
    () => {},
    new AbortController().signal,
  );
  if (state !== 'done') throw new Broken(`expected a search to end, got ${state}: ${problem}`);
}
