import { bisect } from '#lib/collections/bisect.ts';
import type { Frame } from '#protocol/core/frame.ts';

/** 1 for blocks of audio, 0 for all others. Audio has blocks of its own, so that a search need not read it. */
export type BlockKind = 0 | 1;
export const BLOCK_KINDS: readonly BlockKind[] = [0, 1];
const AUDIO_BLOCK: BlockKind = 1;
export const blockKindOf = (isAudio: boolean): BlockKind => (isAudio ? AUDIO_BLOCK : 0);

/** The payloads of many entries, as they are stored: text in UTF-8, one behind the other. */
export interface PayloadBlock {
  /** Indexes of the entries, ascending. */
  entries: Uint32Array<ArrayBuffer>;
  /** Where each payload ends in `bytes`. */
  ends: Uint32Array<ArrayBuffer>;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Of an entry in a block, beside its payload. */
export const PLACE_BYTES = 2 * Uint32Array.BYTES_PER_ELEMENT;

export const sizeOf = ({ entries, ends, bytes }: PayloadBlock): number =>
  entries.byteLength + ends.byteLength + bytes.byteLength;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** @param payloads by entry, ascending */
export function blockOf(payloads: readonly (readonly [entry: number, payload: Frame])[]): PayloadBlock {
  const parts = payloads.map(([, payload]) =>
    typeof payload === 'string' ? encoder.encode(payload) : payload,
  );
  const ends = new Uint32Array(parts.length);
  let used = 0;
  for (const [at, { length }] of parts.entries()) {
    used += length;
    ends[at] = used;
  }
  const bytes = new Uint8Array(used);
  for (const [at, part] of parts.entries()) bytes.set(part, at === 0 ? 0 : ends[at - 1]);
  return { entries: Uint32Array.from(payloads, ([entry]) => entry), ends, bytes };
}

/** The bytes of the payload at that place, as part of the block. */
export const bytesAt = ({ ends, bytes }: PayloadBlock, place: number): Uint8Array<ArrayBuffer> =>
  bytes.subarray(place === 0 ? 0 : ends[place - 1], ends[place]);

export const payloadText = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Returns the payload as it would be read from a block, where half of a surrogate pair is U+FFFD. */
export const asStored = (payload: Frame): Frame =>
  typeof payload === 'string' ? payloadText(encoder.encode(payload)) : payload;

/** The payload of an entry; null where it is not in the block. */
export function payloadIn(block: PayloadBlock, entry: number, isBinary: boolean): Frame | null {
  const { entries } = block;
  const place = bisect(0, entries.length, (at) => (entries[at] ?? 0) < entry);
  if (entries[place] !== entry) return null;
  const bytes = bytesAt(block, place);
  return isBinary ? bytes.slice() : payloadText(bytes);
}
