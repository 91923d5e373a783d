/** Turns samples into the bytes of a file or a stream. */
export interface Encoder {
  /** The samples must stay as they are until the bytes are there. Calls follow one another. */
  encode(samples: Int16Array): Promise<Uint8Array<ArrayBuffer>>;
  /** Bytes before all others, whose number is `bytes`. */
  head?(bytes: number): Uint8Array;
  /** Bytes after all others. */
  tail?(): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends a stream that has no tail. It encodes nothing more. */
  release?(): void;
}

export const joinedBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};
