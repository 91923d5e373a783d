import { withoutNamedSecrets } from '../format/named-secrets.ts';
import type { RecordEntry, RecordHead, RecordingInfo } from '../format/record.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { PayloadReader, ShownEntry } from '../store/payload-reader.ts';
import type { ExportedFile } from './exchange-messages.ts';
import { EXPORT_FORMATS, type ExportFormatId, type RecordingPart } from './export-formats.ts';

/** A recording that can be read: what goes on, or one from the store. */
export interface ReadableRecording {
  info: RecordingInfo;
  index: FrameIndex;
  reader: PayloadReader;
}

/** Gives others a turn; called often. Throws where the task was called off. @param done from 0 to 1 */
export type Breathe = (done: number) => Promise<void>;

/** Entries between two breaths: a millisecond or a few. */
const ENTRIES_A_BREATH = 256;

/** What is handed to the browser at once, which keeps a Blob wherever it has room. */
const PART_CHARS = 4 * 2 ** 20;

/**
 * The files of a recording in that format. No more than a few megabytes of them are in this thread's memory, except of
 * sound, which is held whole.
 */
export async function exportRecording(
  recording: ReadableRecording,
  format: ExportFormatId,
  part: RecordingPart,
  breathe: Breathe,
): Promise<{ files: ExportedFile[]; notes: string[] }> {
  const { extension, mediaType, passes, write } = EXPORT_FORMATS[format];
  const { index, reader } = recording;
  // What comes while it is written is not in it.
  const { length } = index;
  const info = cleanInfo(recording.info);
  let seen = 0;
  /** 1 for each entry whose payload is not there, however often it is asked for. */
  const isGone = new Uint8Array(length);
  async function* entries(from: number, to: number, wanted?: (head: RecordHead) => boolean) {
    for (let at = from; at < Math.min(to, length); at += 1) {
      seen += 1;
      if (seen % ENTRIES_A_BREATH === 0) await breathe(Math.min(1, seen / (passes * length)));
      if (wanted && !wanted(index.head(at))) continue;
      const entry = await reader.entry(at);
      if (entry.payload === null) isGone[at] = 1;
      yield whole(entry);
    }
  }
  const files = new Map<string, FileParts>();
  for await (const { file, data } of write({ info, entries }, part)) {
    const parts = files.get(file) ?? new FileParts();
    files.set(file, parts);
    parts.add(data);
  }
  const gone = isGone.reduce((sum, one) => sum + one, 0);
  const notes =
    gone === 0
      ? []
      : [`The content of ${gone.toLocaleString('en')} frames is no longer kept, and is empty in the file.`];
  return {
    files: [...files].map(([file, parts]) => ({
      ending: file === '' ? `.${extension}` : `, ${file}.${extension}`,
      blob: parts.blob(mediaType),
    })),
    notes,
  };
}

/** Only what belongs to a recording, and no key that a person may have put into its name. */
const cleanInfo = ({
  id,
  name,
  endpoint,
  address,
  startedAtMs,
  durationUs,
  entries,
  bytes,
  pinned,
}: RecordingInfo) => ({
  id,
  name: withoutNamedSecrets(name),
  endpoint,
  address: withoutNamedSecrets(address),
  startedAtMs,
  durationUs,
  entries,
  bytes,
  pinned,
});

const whole = (entry: ShownEntry): RecordEntry => ({
  ...entry,
  payload: entry.payload ?? (entry.opcode === 'binary' ? new Uint8Array() : ''),
});

/** A file that grows: what is collected goes to the browser every few megabytes. */
class FileParts {
  readonly #parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  #pieces: string[] = [];
  #chars = 0;

  add(data: string | Uint8Array<ArrayBuffer>): void {
    if (typeof data !== 'string') {
      this.#settle();
      this.#parts.push(data);
      return;
    }
    this.#pieces.push(data);
    this.#chars += data.length;
    if (this.#chars >= PART_CHARS) this.#settle();
  }

  blob(type: string): Blob {
    this.#settle();
    return new Blob(this.#parts, { type });
  }

  #settle(): void {
    if (this.#pieces.length > 0) this.#parts.push(new Blob(this.#pieces));
    this.#pieces = [];
    this.#chars = 0;
  }
}
