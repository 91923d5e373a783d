import { isOpening } from '#trace/connection.ts';
import type { RecordEntry } from '#trace/entry.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { YieldToLoop } from '../yield-to-loop.ts';
import type { ReadableRecording } from './exporter.ts';
import { type SnippetSource, snippetSource } from './snippet-source.ts';

/** Nobody reads a longer program, and the first frames set the session up. */
const MAX_FRAMES = 300;

/** Entries between two yields to the event loop where no payload is read. */
export const HEADS_A_YIELD = 4096;

/** Extracts the last connection with a sent frame, and reads no other payloads. */
export async function snippetOf(
  { info, index, reader }: ReadableRecording,
  yieldToLoop: YieldToLoop,
): Promise<{ source: SnippetSource; frames: number }> {
  const connection = lastSender(index);
  const sent: number[] = [];
  let opening = -1;
  let lastIn = -1;
  for (let at = 0; at < index.length; at += 1) {
    if (at % HEADS_A_YIELD === 0) await yieldToLoop(at / index.length);
    const head = index.head(at);
    if (head.connection !== connection) continue;
    if (isOpening(head)) opening = at;
    else if (head.direction === 'out') sent.push(at);
    // Later frames answer frames that are not in the program.
    else if (head.direction === 'in' && sent.length <= MAX_FRAMES) lastIn = at;
  }
  const entries: RecordEntry[] = [];
  const shown = sent.slice(0, MAX_FRAMES);
  const isAnswered = lastIn > (shown.at(-1) ?? 0);
  for (const at of [opening, ...shown, isAnswered ? lastIn : -1]) {
    if (at < 0) continue;
    const entry = await reader.entry(at);
    if (entry.payload !== null) entries.push({ ...entry, payload: entry.payload });
  }
  return { source: snippetSource(info, entries), frames: sent.length };
}

/** The connection of the last sent frame; 0 where none was sent. */
function lastSender(index: FrameIndex): number {
  for (let at = index.length - 1; at >= 0; at -= 1) {
    const { direction, connection } = index.head(at);
    if (direction === 'out') return connection;
  }
  return 0;
}
