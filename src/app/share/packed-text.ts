import { encodeBase64Url } from '#lib/base64.ts';

/** Every browser and most chat programs keep a link of this length. */
const MAX_LINK_CHARS = 16_000;

/** Precedes the contents of a link. */
const VERSION = '1.';

export interface LinkProblem {
  problem: string;
}

/** @param why with or without a full stop */
export const brokenLink = (why: string): LinkProblem => ({
  problem: `The link cannot be used: ${why.replace(/\.$/, '')}.`,
});

/** Returns the fragment `name=1.…` of a text, without `#`. @param instead what to do where the text is too long */
export async function fragmentOf(name: string, text: string, what: string, instead: string) {
  const fragment = `${name}=${VERSION}${await packed(text)}`;
  if (fragment.length <= MAX_LINK_CHARS) return { fragment };
  const problem = `${what} is too long for a link: ${fragment.length} characters, at most ${MAX_LINK_CHARS} can be shared. ${instead}`;
  return { problem };
}

/** Returns the text of a fragment that begins with `name=`. */
export async function textOf(name: string, fragment: string): Promise<string | LinkProblem> {
  const rest = fragment.slice(name.length + 1);
  if (!rest.startsWith(VERSION)) return brokenLink('it is of another version');
  if (fragment.length > MAX_LINK_CHARS) return brokenLink(`it is longer than ${MAX_LINK_CHARS} characters`);
  return (await unpacked(rest.slice(VERSION.length))) ?? brokenLink('it is incomplete');
}

/** Stops a decompression bomb. An honest link is far shorter. */
const MAX_PLAIN_CHARS = 200_000;

/** Returns a text as the part of an address. */
const packed = async (text: string): Promise<string> =>
  encodeBase64Url(await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(text)));

/** The inverse of {@link packed}. Returns null for invalid or too long text. */
async function unpacked(text: string): Promise<string | null> {
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
