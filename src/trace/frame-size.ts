import type { Frame } from '#protocol/core/frame.ts';
import type { RecordHead } from './entry.ts';

export const opcodeOf = (frame: Frame): RecordHead['opcode'] =>
  typeof frame === 'string' ? 'text' : 'binary';

const encoder = new TextEncoder();
const scratch = new Uint8Array(1 << 16);

/** Returns the size of the payload on the wire. Text is counted in pieces, so that its encoded form is not kept. */
export function byteLength(frame: Frame): number {
  if (typeof frame !== 'string') return frame.byteLength;
  let bytes = 0;
  let rest = frame;
  for (;;) {
    const { read, written } = encoder.encodeInto(rest, scratch);
    bytes += written;
    if (read >= rest.length) return bytes;
    rest = rest.slice(read);
  }
}
