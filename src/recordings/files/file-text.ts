import { bytes, counted } from '#lib/format.ts';
import { wrongLine } from '#record/files/import-error.ts';
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
      let text: string;
      try {
        text = decoder.decode(part.value, { stream: true });
      } catch {
        line += linesBeforeDamage(part.value);
        throw wrong('text in UTF-8', 'other bytes');
      }
      yield text;
      line += linesIn(text);
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

const REPLACED = '\ufffd';

/** The beginning may be the rest of a character that was split between two parts. */
function linesBeforeDamage(part: Uint8Array): number {
  const text = new TextDecoder().decode(part);
  const start = text.search(/[^\ufffd]/u);
  const at = text.indexOf(REPLACED, Math.max(0, start));
  return linesIn(text.slice(0, at < 0 ? 0 : at));
}
