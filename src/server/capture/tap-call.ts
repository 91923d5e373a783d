import type { IncomingMessage, ServerResponse } from 'node:http';
import { whyBrokenOff } from '../answers/break-off.ts';
import { onClose } from '../answers/on-close.ts';
import type { CapturedCall } from './captured-call.ts';

/** Statuses whose answers have no body, whatever is written (RFC 9110, 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Does something with the record of a call, later. @param atMs now */
export type RecordLater = (task: (call: CapturedCall, atMs: number) => void) => void;

/**
 * Records what passes between a client and the server's answer to it, each part after it was passed on. The request must not
 * have begun to flow.
 */
export function tapCall(request: IncomingMessage, response: ServerResponse, record: RecordLater): void {
  // A listener would start the body before its reader, and miss what nobody reads.
  const { push } = request;
  request.push = (chunk, encoding) => {
    const isWanted = push.call(request, chunk, encoding);
    const part = chunk === null ? null : bytesOf(chunk);
    record((call, atMs) => call.sent(atMs, part));
    return isWanted;
  };

  const { writeHead, write, end } = response;
  const recordPart = ([chunk, encoding]: unknown[]) => {
    const hasBody = request.method !== 'HEAD' && !BODILESS.has(response.statusCode);
    if (!hasBody || !(typeof chunk === 'string' || chunk instanceof Uint8Array)) return;
    const part = bytesOf(chunk, encoding);
    record((call, atMs) => call.received(atMs, part));
  };
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    Reflect.apply(writeHead, response, head);
    const { statusCode: status, statusMessage: reason } = response;
    const headers = response.getHeaders();
    record((call, atMs) => call.answered(atMs, { status, reason, headers }));
    return response;
  }) as typeof writeHead;
  response.write = ((...part: Parameters<typeof write>) => {
    const hasRoom = Reflect.apply(write, response, part);
    recordPart(part);
    return hasRoom;
  }) as typeof write;
  response.end = ((...last: Parameters<typeof end>) => {
    const isFirst = !response.writableEnded;
    Reflect.apply(end, response, last);
    if (isFirst) recordPart(last);
    return response;
  }) as typeof end;

  onClose(response, () => {
    const why = whyBrokenOff(response);
    const isComplete = response.writableFinished;
    const how = isComplete ? 'complete' : why === null ? 'the client left' : `broken off: ${why}`;
    record((call, atMs) => call.ended(atMs, how, !isComplete && why !== null));
  });
}

/** Copies, because buffers of Node and of the engine are used again. */
const bytesOf = (chunk: string | Uint8Array, encoding?: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    typeof chunk === 'string'
      ? Buffer.from(chunk, Buffer.isEncoding(String(encoding)) ? (encoding as BufferEncoding) : 'utf8')
      : chunk,
  );
