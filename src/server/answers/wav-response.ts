import type { Rest, RestContext } from '../rest.ts';

/** Cache time of a sample. */
const KEEP_SECONDS = 3600;

/** Serves the sample of a voice. It needs no key, because a page's audio element sends none. */
export const sampleRoute = (
  rest: Rest,
  path: string,
  sampleOf: (c: RestContext) => Promise<Uint8Array<ArrayBuffer>>,
): void => void rest.get(path, async (c) => wavResponse(c, await sampleOf(c)));

/** A WAV file or the requested range of it. Safari's media elements need ranges. */
function wavResponse(c: RestContext, wav: Uint8Array<ArrayBuffer>): Response {
  c.header('Content-Type', 'audio/wav');
  c.header('Accept-Ranges', 'bytes');
  c.header('Cache-Control', `private, max-age=${KEEP_SECONDS}`);
  const range = byteRange(c.req.header('range'), wav.byteLength);
  if (range === 'unsatisfiable') {
    c.header('Content-Range', `bytes */${wav.byteLength}`);
    return c.body(null, 416);
  }
  if (!range) return c.body(wav);
  c.header('Content-Range', `bytes ${range.start}-${range.end - 1}/${wav.byteLength}`);
  return c.body(wav.subarray(range.start, range.end), 206);
}

/**
 * The single range of a Range header, end exclusive. Null sends the whole file: no header, several ranges, or an
 * invalid one (RFC 9110, 14.2).
 */
function byteRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    return last === '0' ? 'unsatisfiable' : { start: Math.max(0, size - Number(last)), end: size };
  }
  const start = Number(first);
  const end = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < start) return null;
  return start < size ? { start, end } : 'unsatisfiable';
}
