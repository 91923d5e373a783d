import { encodeBase64 } from '#lib/base64.ts';

/** Every browser and most chat programs keep a link of this length. */
export const MAX_LINK_CHARS = 16_000;

/** Stops a decompression bomb. An honest link is far shorter. */
const MAX_PLAIN_CHARS = 200_000;

/** Returns a text as the part of an address. */
export const packed = async (text: string): Promise<string> =>
  base64Url(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text)));

/** RFC 4648 section 5, without padding. */
const base64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** The inverse of {@link packed}. Returns null for invalid or too long text. */
export async function unpacked(text: string): Promise<string | null> {
  if (!/^[\w-]*$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const plain = await through(new DecompressionStream('deflate-raw'), bytes, MAX_PLAIN_CHARS);
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch {
    return null;
  }
}

/** Returns the output of a stream. @throws RangeError for more than `maxBytes` */
async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new RangeError(`More than ${maxBytes} bytes.`);
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
