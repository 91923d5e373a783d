import type { IncomingMessage, ServerResponse } from 'node:http';

/** Cache time of a sample. */
const KEEP_SECONDS = 3600;

/** Sends a WAV file or the requested range. Safari's media elements need ranges. */
export function replyWav(request: IncomingMessage, response: ServerResponse, wav: Uint8Array): void {
  response.setHeader('Content-Type', 'audio/wav');
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Cache-Control', `private, max-age=${KEEP_SECONDS}`);
  const range = byteRange(request.headers.range, wav.byteLength);
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'Content-Range': `bytes */${wav.byteLength}` }).end();
    return;
  }
  const body = range ? wav.subarray(range.start, range.end) : wav;
  if (range) {
    response.statusCode = 206;
    response.setHeader('Content-Range', `bytes ${range.start}-${range.end - 1}/${wav.byteLength}`);
  }
  response.setHeader('Content-Length', body.byteLength);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * The single range of a Range header, end exclusive. Null sends the whole file: no header, several ranges, or an
 * invalid one (RFC 9110, 14.2).
 */
export function byteRange(
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
