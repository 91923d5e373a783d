import type { RecordEntry } from '../format/record.ts';
import type { Breathe, ReadableRecording } from './exporter.ts';
import { type SnippetSource, snippetSource } from './snippet-source.ts';

/** A program with more lines than that is read by nobody; what it begins with sets the session up. */
const MAX_FRAMES = 300;

/** Entries between two breaths. */
const ENTRIES_A_BREATH = 4096;

/** What was sent on the last connection that anything was sent on, without reading anything else. */
export async function snippetOf(
  { info, index, reader }: ReadableRecording,
  breathe: Breathe,
): Promise<{ source: SnippetSource; frames: number }> {
  const sent: number[] = [];
  let connection = 0;
  let lastIn = -1;
  for (let at = 0; at < index.length; at += 1) {
    if (at % ENTRIES_A_BREATH === 0) await breathe(at / index.length);
    const head = index.head(at);
    if (head.direction === 'out') {
      if (head.connection !== connection) sent.length = 0;
      ({ connection } = head);
      sent.push(at);
      // What comes later answers what is not in the program.
    } else if (head.direction === 'in' && head.connection === connection && sent.length <= MAX_FRAMES) {
      lastIn = at;
    }
  }
  const entries: RecordEntry[] = [];
  const shown = sent.slice(0, MAX_FRAMES);
  for (const at of [...shown, ...(lastIn > (shown.at(-1) ?? 0) ? [lastIn] : [])]) {
    const entry = await reader.entry(at);
    if (entry.payload !== null) entries.push({ ...entry, payload: entry.payload });
  }
  return { source: snippetSource(info, entries), frames: sent.length };
}
