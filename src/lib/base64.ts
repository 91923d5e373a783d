import { type Base64Result, decodeBase64ByTable } from './base64-table.ts';

/** ES2026, not in the type library yet. */
interface NativeDecoder {
  setFromBase64(
    text: string,
    options: { alphabet: 'base64'; lastChunkHandling: 'strict' },
  ): { read: number; written: number };
}

const hasNativeDecoder = 'setFromBase64' in Uint8Array.prototype;
const NATIVE_OPTIONS = { alphabet: 'base64', lastChunkHandling: 'strict' } as const;

/** Upper bound of the bytes in base64 text of this length. */
export const maxDecodedBytes = (textLength: number): number => Math.ceil((textLength * 3) / 4);

/** Returns the number of bytes in well-formed base64. */
export function exactDecodedBytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

/**
 * Decodes standard base64 into the beginning of `target` without allocating, by the browser's decoder if it has one.
 * After a problem, `target` may hold some of the bytes.
 * @throws RangeError if `target` is smaller than {@link maxDecodedBytes}
 */
export function decodeBase64Into(text: string, target: Uint8Array): Base64Result {
  if (target.length < maxDecodedBytes(text.length)) {
    throw new RangeError(`${text.length} characters of base64 do not fit into ${target.length} bytes.`);
  }
  if (!hasNativeDecoder) return decodeBase64ByTable(text, target);
  try {
    const decoder: unknown = target;
    return { bytes: (decoder as NativeDecoder).setFromBase64(text, NATIVE_OPTIONS).written };
  } catch {
    // The browser does not say where it failed; the table decoder does.
    return decodeBase64ByTable(text, target);
  }
}

/** Bytes encoded at once: every engine takes as many arguments. A multiple of three, so that pieces can be joined. */
const BLOCK_BYTES = 0x6000;

/** Standard base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BLOCK_BYTES)));
  }
  return text;
}

/** As in an address: RFC 4648 section 5, without padding. */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '');

/** Decodes standard base64 into a new array, or says what is wrong with it. */
export function decodeBase64(text: string): { bytes: Uint8Array<ArrayBuffer> } | { problem: string } {
  const room = new Uint8Array(maxDecodedBytes(text.length));
  const result = decodeBase64Into(text, room);
  return 'problem' in result ? result : { bytes: room.slice(0, result.bytes) };
}
