import type { StoredRecording } from './database.ts';
import { FrameIndex } from './frame-index.ts';
import { PayloadReader } from './payload-reader.ts';
import type { RecordingStore } from './recording-store.ts';

/** A recording from the store. */
export interface OpenedRecording {
  info: StoredRecording;
  index: FrameIndex;
  reader: PayloadReader;
  /** Loads the index piece by piece. Throws where the store is damaged. */
  load(): AsyncGenerator<void, void, undefined>;
}

/** Null for an unknown recording. */
export async function openStored(store: RecordingStore, id: string): Promise<OpenedRecording | null> {
  const [info, starts] = await Promise.all([store.get(id), store.blockStarts(id)]);
  if (!info) return null;
  const index = new FrameIndex();
  return {
    info,
    index,
    reader: new PayloadReader({ id, index, source: store, starts }),
    async *load() {
      for await (const segments of store.segments(id)) {
        for (const { packed, names } of segments) index.appendPacked(packed, names);
        yield;
      }
    },
  };
}
