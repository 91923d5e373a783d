import { setImmediate } from 'node:timers/promises';
import { RecordingReader } from '#record/files/recording-file.ts';
import type { RecordEntry, RecordingInfo } from '#record/record.ts';

/** A recording without named secrets. */
export interface PostedRecording {
  info: RecordingInfo;
  entries: readonly RecordEntry[];
  /** Sentences about what its file lacks. */
  notes: readonly string[];
}

/** Bytes that are read without a break of the event loop. */
const BYTES_AT_ONCE = 128 * 1024;

/** Reads a file of the own format, a damaged one up to the damage. @throws ImportError without a first line */
export async function readRecordingFile(bytes: Uint8Array): Promise<PostedRecording> {
  const reader = new RecordingReader({ salvages: true });
  const decoder = new TextDecoder();
  const entries: RecordEntry[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    const part = decoder.decode(bytes.subarray(at, at + BYTES_AT_ONCE), { stream: true });
    for (const entry of reader.push(part)) entries.push(entry);
    await setImmediate();
  }
  const { info, warnings, entries: last } = reader.finish();
  return { info, entries: [...entries, ...last], notes: warnings };
}
