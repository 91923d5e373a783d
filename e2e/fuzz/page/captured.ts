import { CaptureReader } from '#recordings/capture/capture-reader.ts';
import { Capture } from '#server/capture/capture.ts';
import { CaptureSession } from '#server/capture/capture-session.ts';
import { sentTo, tapped } from '#server/capture/tap.ts';
import type { Connection, Session } from '#server/connection.ts';
import { type CapturedClient, captureMessageSchema } from '#trace/capture-messages.ts';
import { closeOf, isClose } from '#trace/connection.ts';
import type { NewEntry } from '#trace/entry.ts';

/** A client of a capturing server, as a page lists it, and its entries, as the page records them. */
export interface Captured {
  client: CapturedClient;
  entries: NewEntry[];
}

/**
 * Passes a connection through the capture of a server, the messages to a page, and the reader of the page.
 * @param entries of the connection, as its session recorded them
 */
export async function captured(
  endpoint: string,
  address: string,
  entries: readonly NewEntry[],
): Promise<Captured | null> {
  let atMs = (entries[0]?.atUs ?? 0) / 1000;
  const capture = new Capture({ nowMs: () => atMs });
  const start = { id: 'client', peer: [], endpoint, address, program: '', secrets: [] };
  const record = capture.begin({ ...start, isPublic: () => false });
  let session: Session | null = null;
  for (const { atUs, direction, kind, payload } of entries) {
    atMs = atUs / 1000;
    if (kind === 'opened') session = tapped(() => SILENT, record)(connectionTo(() => {}, [])) ?? null;
    else if (direction === 'in') sentTo(record)(payload);
    else if (direction === 'out') {
      if (typeof payload === 'string') session?.text(payload);
      else session?.binary(payload);
    } else if (isClose({ direction, kind })) {
      const { code, reason, asked } = closeOf(payload);
      record.closed(code, reason, asked);
    }
  }
  return watched(capture, start.id);
}

async function watched(capture: Capture, id: string): Promise<Captured | null> {
  let client: CapturedClient | null = null;
  let reader: CaptureReader | null = null;
  const entries: NewEntry[] = [];
  const works: Promise<void>[] = [];
  const page = connectionTo((text) => {
    const message = captureMessageSchema.parse(JSON.parse(text));
    if (message.type === 'clients') {
      client = message.changed[0] ?? null;
      reader = client && new CaptureReader(client);
    } else if (message.type === 'entries')
      for (const entry of message.entries) if (reader) entries.push(reader.read(entry));
  }, works);
  const session = new CaptureSession(page, capture, () => {});
  await Promise.all(works);
  session.text(JSON.stringify({ type: 'watch', client: id }));
  await Promise.all(works);
  return client && { client, entries };
}

/** A session that answers nothing. */
const SILENT: Session = { text() {}, binary() {}, gone() {}, goingAway() {} };

/** A connection whose client reads at once. @param works what nothing awaits */
const connectionTo = (read: (text: string) => void, works: Promise<void>[]): Connection => ({
  clock: { nowMs: () => 0, after: () => () => {} },
  send: (message) => read(String(message)),
  close() {},
  reset() {},
  drained: async () => {},
  pause() {},
  silence() {},
  resume() {},
  background: (work) => void works.push(work()),
});
