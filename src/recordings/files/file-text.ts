import { bytes, counted } from '#lib/format.ts';
import { wrongLine } from '#trace/files/import-error.ts';
import type { YieldToLoop } from '../yield-to-loop.ts';

/** The text of files, also gzipped ones. */

export interface UnpackLimits {
  /** Largest ratio of unpacked to packed size, beyond the first free bytes. */
  unpackRatio: number;
  unpackedFreeBytes: number;
}

/** JSON of frames packs to a twentieth at best, a zip bomb to a thousandth. */
export const UNPACK_LIMITS: UnpackLimits = { unpackRatio: 100, unpackedFreeBytes: 16 * 2 ** 20 };

const GZIP = [0x1f, 0x8b];

/** Yields the text of a file in parts, unpacked if it is gzipped. @throws ImportError */
export async function* textPartsOf(
  file: Blob,
  limits: UnpackLimits,
  yieldToLoop: YieldToLoop,
): AsyncGenerator<string> {
  const head = new Uint8Array(await file.slice(0, GZIP.length).arrayBuffer());
  const isPacked = GZIP.every((byte, i) => head[i] === byte);
  let read = 0;
  const packed = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        read += part.length;
        controller.enqueue(part);
      },
    }),
  );
  const reader = (isPacked ? packed.pipeThrough(new DecompressionStream('gzip')) : packed).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const maxBytes = isPacked
    ? limits.unpackedFreeBytes + file.size * limits.unpackRatio
    : Number.POSITIVE_INFINITY;
  let unpacked = 0;
  let line = 1;
  /** The beginning of a character that the next part goes on with. */
  let tail = new Uint8Array();
  const wrong = (expected: string, found: string) => wrongLine(line, expected, found);
  try {
    for (;;) {
      await yieldToLoop(file.size === 0 ? 1 : Math.min(1, read / file.size));
      const part = await reader.read().catch(() => {
        throw wrong(
          'a whole file',
          isPacked ? 'a gzip file that is cut off or damaged' : 'one that cannot be read',
        );
      });
      if (part.done) break;
      unpacked += part.value.length;
      if (unpacked > maxBytes) throw wrong(`at most ${bytes(maxBytes)} when unpacked`, 'more');
      const text = decoded(decoder, part.value);
      if (text === null) {
        const whole = linesBeforeDamage(tail, part.value);
        yield whole;
        line += linesIn(whole);
        throw wrong('text in UTF-8', 'other bytes');
      }
      yield text;
      line += linesIn(text);
      tail = unfinishedEnd(part.value);
    }
    try {
      yield decoder.decode();
    } catch {
      throw wrong('text in UTF-8', 'the beginning of a character');
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns the whole text of a file of limited size. @throws ImportError */
export async function wholeTextOf(
  file: Blob,
  limits: UnpackLimits & { chars: number },
  yieldToLoop: YieldToLoop,
): Promise<string> {
  const parts: string[] = [];
  let chars = 0;
  let lines = 0;
  for await (const part of textPartsOf(file, limits, yieldToLoop)) {
    chars += part.length;
    if (chars > limits.chars)
      throw wrongLine(
        lines + 1,
        `at most ${counted(limits.chars, 'character')}`,
        `more, in a file of ${bytes(file.size)}`,
      );
    lines += linesIn(part);
    parts.push(part);
  }
  return parts.join('');
}

const linesIn = (text: string): number => text.split('\n').length - 1;

function decoded(decoder: TextDecoder, part: Uint8Array): string | null {
  try {
    return decoder.decode(part, { stream: true });
  } catch {
    return null;
  }
}

const NEWLINE = 0x0a;

/** Returns the lines before the damaged one. @param tail the end of the part before, which is the rest of a character */
function linesBeforeDamage(tail: Uint8Array, part: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = decoder.decode(tail, { stream: true });
  for (let from = 0; ; ) {
    const to = part.indexOf(NEWLINE, from) + 1;
    const line = to === 0 ? null : decoded(decoder, part.subarray(from, to));
    if (line === null) return text;
    text += line;
    from = to;
  }
}

/** Bits of the first byte of a character, by its length. */
const [OF_TWO, OF_THREE, OF_FOUR] = [0xc0, 0xe0, 0xf0];
const isFollowing = (byte: number): boolean => (byte & OF_TWO) === 0x80;

/** Returns the beginning of a character at the end of a part. */
function unfinishedEnd(part: Uint8Array): Uint8Array<ArrayBuffer> {
  for (let from = part.length - 1; from >= Math.max(0, part.length - 3); from -= 1) {
    const byte = part[from] ?? 0;
    if (isFollowing(byte)) continue;
    const length = byte >= OF_FOUR ? 4 : byte >= OF_THREE ? 3 : byte >= OF_TWO ? 2 : 1;
    return part.length - from < length ? part.slice(from) : new Uint8Array();
  }
  return new Uint8Array();
}
