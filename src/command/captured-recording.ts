import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CaptureReader } from '#recordings/capture/capture-reader.ts';
import { clientName } from '#recordings/capture/client-view.ts';
import type { CapturedConnection } from '#server/capture/captured-connection.ts';
import { messageOfEntry } from '#trace/capture-messages.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { writeRecording } from '#trace/files/recording-file.ts';

/** Writes a client of the server as a recording of the own format. */
export async function writeCaptured(connection: CapturedConnection, path: string): Promise<void> {
  const reader = new CaptureReader(connection);
  const captured = connection.from(0, connection.length).map((entry) => reader.read(messageOfEntry(entry)));
  const entries = captured.map((entry: NewEntry, index): RecordEntry => ({ ...entry, index }));
  const info: RecordingInfo = {
    id: connection.id,
    name: clientName(connection),
    endpoint: connection.endpoint,
    address: connection.address,
    startedAtMs: connection.startedAtMs,
    durationUs: entries.at(-1)?.atUs ?? 0,
    entries: entries.length,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    pinned: false,
  };
  await pipeline(writeRecording(info, entries), createWriteStream(path));
}
