import type { IncomingMessage, ServerResponse } from 'node:http';
import { whyBrokenOff } from '../answers/break-off.ts';
import type { CapturedCall } from './captured-call.ts';

/** Statuses whose answers have no body, whatever is written (RFC 9110, 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/**
 * Records what passes between a client and the server's answer to it. Each part is recorded after it was passed on. The
 * request must not have begun to flow.
 */
export function tapCall(request: IncomingMessage, response: ServerResponse, call: CapturedCall): void {
  // A listener would start the body before its reader, and miss what nobody reads.
  const { push } = request;
  request.push = (chunk, encoding) => {
    const isWanted = push.call(request, chunk, encoding);
    if (chunk === null) call.sentAll();
    else call.sent(bytesOf(chunk));
    return isWanted;
  };

  const hasBody = () => request.method !== 'HEAD' && !BODILESS.has(response.statusCode);
  const record = (chunk: unknown, encoding: unknown) => {
    const isChunk = typeof chunk === 'string' || chunk instanceof Uint8Array;
    if (isChunk && hasBody()) call.received(bytesOf(chunk, encoding));
  };
  const { writeHead, write, end } = response;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    Reflect.apply(writeHead, response, head);
    const { statusCode: status, statusMessage: reason } = response;
    call.answered({ status, reason, headers: response.getHeaders() });
    return response;
  }) as typeof writeHead;
  response.write = ((...part: Parameters<typeof write>) => {
    const hasRoom = Reflect.apply(write, response, part);
    record(part[0], part[1]);
    return hasRoom;
  }) as typeof write;
  response.end = ((...last: Parameters<typeof end>) => {
    const isFirst = !response.writableEnded;
    Reflect.apply(end, response, last);
    if (isFirst) record(...(last as unknown[] as [unknown, unknown]));
    return response;
  }) as typeof end;

  response.once('close', () => {
    const why = whyBrokenOff(response);
    if (response.writableFinished) call.ended('complete', false);
    else if (why === null) call.ended('the client left', false);
    else call.ended(`broken off: ${why}`, true);
  });
}

const bytesOf = (chunk: string | Uint8Array, encoding?: unknown): Uint8Array =>
  typeof chunk === 'string'
    ? Buffer.from(chunk, Buffer.isEncoding(String(encoding)) ? (encoding as BufferEncoding) : 'utf8')
    : chunk;
