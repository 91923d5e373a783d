import { decodeBase64Into, maxDecodedBytes } from '#lib/base64.ts';

/** Bytes that are turned into characters at once: as many arguments as every engine takes. */
const BLOCK_BYTES = 0x6000;

/** Standard base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  // A multiple of three, so that the pieces can be put together.
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BLOCK_BYTES)));
  }
  return text;
}

/** The bytes of standard base64 in an array of their own, or what is wrong with it. */
export function decodeBase64(text: string): { bytes: Uint8Array<ArrayBuffer> } | { problem: string } {
  const room = new Uint8Array(maxDecodedBytes(text.length));
  const result = decodeBase64Into(text, room);
  return 'problem' in result ? result : { bytes: room.slice(0, result.bytes) };
}
