import { madeOnce } from '#lib/collections/maps.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import type { ReferenceSource } from '#trace/words/text-search.ts';
import type { StoredRecording } from '../store/database.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { PayloadReader, ShownEntry } from '../store/payload-reader.ts';
import type { YieldToLoop } from '../yield-to-loop.ts';
import type { ExportedFile } from './exchange-messages.ts';
import {
  type EntryChoice,
  EXPORT_FORMATS,
  type ExportFormatId,
  isOf,
  type RecordingPart,
} from './export-formats.ts';

/** A readable recording, live or from the store. */
export interface ReadableRecording {
  info: StoredRecording;
  index: FrameIndex;
  reader: PayloadReader;
}

/** Entries between two yields to the event loop, a few milliseconds of work. */
const ENTRIES_A_YIELD = 256;

/** Characters before text moves into a Blob, which the browser may keep on disk. */
const PART_CHARS = 4 * 2 ** 20;

/** Returns the files of a recording in that format. Only sound is held in memory as a whole. */
export async function exportRecording(
  recording: ReadableRecording,
  format: ExportFormatId,
  part: RecordingPart,
  yieldToLoop: YieldToLoop,
  reference: ReferenceSource,
): Promise<{ files: ExportedFile[]; notes: string[] }> {
  const { extension, mediaType, of, passes, write } = EXPORT_FORMATS[format];
  const { index, reader } = recording;
  // Later entries are not exported.
  const { length } = index;
  const { storedBytes, part: _, ...stored } = recording.info;
  // A person may have put a key into the name.
  const [name, address] = [withoutNamedSecrets(stored.name), withoutNamedSecrets(stored.address)];
  const info = { ...stored, name, address };
  let seen = 0;
  /** 1 for each entry of the file without its payload, which several passes may read. */
  const isGone = new Uint8Array(length);
  async function* entries(choice: EntryChoice = () => true) {
    const [indexes, isWanted] = typeof choice === 'function' ? [null, choice] : [choice, () => true];
    for (let i = 0; i < (indexes ?? index).length && i < length; i += 1) {
      seen += 1;
      if (seen % ENTRIES_A_YIELD === 0) await yieldToLoop(Math.min(1, seen / (passes * length)));
      const at = indexes?.[i] ?? i;
      if (!isWanted(index.head(at))) continue;
      const entry = await reader.entry(at);
      if (entry.payload === null && (of === 'recording' || isOf(entry, part))) isGone[at] = 1;
      yield whole(entry);
    }
  }
  const files = new Map<string, FileParts>();
  const pause = () => yieldToLoop(Math.min(1, seen / (passes * length)));
  for await (const { file, data } of write({ info, entries, reference, pause }, part)) {
    madeOnce(files, file, () => new FileParts()).add(data);
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

const whole = (entry: ShownEntry): RecordEntry => ({
  ...entry,
  payload: entry.payload ?? (entry.opcode === 'binary' ? new Uint8Array() : ''),
});

/** Collects a file, and moves its text into Blobs every few megabytes. */
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
