import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import type { CapturedClient, CaptureMessage } from '#record/capture-messages.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from '#record/record.ts';
import { CaptureReader } from '#recordings/capture/capture-reader.ts';
import { writeRecording } from '#recordings/files/recording-file.ts';

type EntriesMessage = Extract<CaptureMessage, { type: 'entries' }>;

/** A client of the server, whose entries are collected for a file. */
export class CapturedRecording {
  readonly #client: CapturedClient;
  readonly #reader: CaptureReader;
  readonly #entries: RecordEntry[] = [];
  /** Entries that the server dropped. */
  lost = 0;
  isWhole = false;

  constructor(client: CapturedClient) {
    this.#client = client;
    this.#reader = new CaptureReader(client);
  }

  take({ entries, lost, isLast }: EntriesMessage): void {
    this.lost += lost;
    if (lost > 0) this.#add(this.#reader.lost(lost));
    for (const entry of entries) this.#add(this.#reader.read(entry));
    this.isWhole = isLast;
  }

  /** Writes the file as the page exports it. */
  async write(path: string): Promise<void> {
    const file = createWriteStream(path);
    await once(file, 'open');
    await pipeline(writeRecording(this.#info, this.#entries), file);
  }

  get #info(): RecordingInfo {
    const { id, program, endpoint, address, startedAtMs } = this.#client;
    return {
      id,
      name: [program, endpoint].filter((part) => part !== '').join(', '),
      endpoint,
      address,
      startedAtMs,
      durationUs: this.#entries.at(-1)?.atUs ?? 0,
      entries: this.#entries.length,
      bytes: this.#entries.reduce((sum, { bytes }) => sum + bytes, 0),
      pinned: false,
    };
  }

  #add(entry: NewEntry): void {
    this.#entries.push({ ...entry, index: this.#entries.length });
  }
}
