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

/** A view of a growing block, valid until the next payload. */
export interface BlockView {
  entries: ArrayLike<number>;
  ends: ArrayLike<number>;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Returns the place of an entry in the block, or -1. */
function placeIn({ entries }: BlockView, entry: number): number {
  const place = bisect(0, entries.length, (at) => (entries[at] ?? 0) < entry);
  return entries[place] === entry ? place : -1;
}

/** The bytes of the payload at that place, as part of the block. */
export const bytesAt = ({ ends, bytes }: BlockView, place: number): Uint8Array<ArrayBuffer> =>
  bytes.subarray(place === 0 ? 0 : ends[place - 1], ends[place]);

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

export const payloadText = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The payload of an entry; null where it is not in the block. */
export function payloadIn(block: BlockView, entry: number, isBinary: boolean): Frame | null {
  const place = placeIn(block, entry);
  if (place < 0) return null;
  const bytes = bytesAt(block, place);
  return isBinary ? bytes.slice() : payloadText(bytes);
}

const FIRST_BYTES = 4096;

export class BlockBuilder {
  #entries: number[] = [];
  #ends: number[] = [];
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;

  get entries(): number {
    return this.#entries.length;
  }

  get bytes(): number {
    return this.#used;
  }

  add(entry: number, payload: Frame): void {
    if (typeof payload === 'string') {
      // A UTF-16 unit takes at most three bytes of UTF-8.
      if (this.#bytes.length - this.#used < payload.length * 3) this.#reserve(encodedRoom(payload));
      this.#used += encoder.encodeInto(payload, this.#bytes.subarray(this.#used)).written;
    } else {
      this.#reserve(payload.length);
      this.#bytes.set(payload, this.#used);
      this.#used += payload.length;
    }
    this.#entries.push(entry);
    this.#ends.push(this.#used);
  }

  /** The payloads so far, without a copy. */
  get view(): BlockView {
    return { entries: this.#entries, ends: this.#ends, bytes: this.#bytes };
  }

  /** A copy of the payloads so far. */
  build(): PayloadBlock {
    return {
      entries: Uint32Array.from(this.#entries),
      ends: Uint32Array.from(this.#ends),
      bytes: this.#bytes.slice(0, this.#used),
    };
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#bytes.length) return;
    const wider = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    wider.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = wider;
  }
}

const NOT_ASCII = /[\u0080-\uffff]/;
const encodedRoom = (text: string): number => (NOT_ASCII.test(text) ? text.length * 3 : text.length);
