import type { FrameIndex } from './store/frame-index.ts';
import type { PayloadReader, ShownEntry } from './store/payload-reader.ts';

/** Whoever reads a recording asks for the next entries; nothing is sent that was not asked for. */
export interface EntryRequest {
  type: 'entries';
  /** Index of the first. */
  from: number;
}

export type EntryReply =
  | { type: 'entries'; entries: readonly ShownEntry[]; isLast: boolean }
  /** It cannot be read, or not any more. */
  | { type: 'failed'; message: string };

/** The part of a MessagePort that is needed here. */
export interface EntryPort {
  postMessage(message: EntryReply): void;
  onmessage: ((event: MessageEvent<EntryRequest>) => void) | null;
}

/** A recording that is open for reading: as many entries as it had then. */
export interface ServedRecording {
  length: number;
  entry(index: number): Promise<ShownEntry>;
}

/** As many entries as are there now, of what may grow. */
export const servedFrom = ({
  index,
  reader,
}: {
  index: Pick<FrameIndex, 'length'>;
  reader: Pick<PayloadReader, 'entry'>;
}): ServedRecording => ({ length: index.length, entry: (at) => reader.entry(at) });

/** A reply is as large as this, or one entry larger: what is on its way between two workers is bounded. */
const MAX_ENTRIES = 1024;
const MAX_BYTES = 1 << 20;

/** Answers one port with the entries of one recording, some at a time. */
export function serveEntries(port: EntryPort, open: () => Promise<ServedRecording>): void {
  let opened: Promise<ServedRecording> | null = null;
  port.onmessage = ({ data }) => {
    opened ??= open();
    opened
      .then((recording) => batchOf(recording, data.from))
      .catch(
        (error: unknown): EntryReply => ({
          type: 'failed',
          message: error instanceof Error ? error.message : String(error),
        }),
      )
      .then((reply) => port.postMessage(reply));
  };
}

async function batchOf({ length, entry }: ServedRecording, from: number): Promise<EntryReply> {
  const entries: ShownEntry[] = [];
  let bytes = 0;
  for (let at = from; at < length && entries.length < MAX_ENTRIES && bytes < MAX_BYTES; at += 1) {
    const next = await entry(at);
    entries.push(next);
    bytes += next.payload?.length ?? 0;
  }
  return { type: 'entries', entries, isLast: from + entries.length >= length };
}
