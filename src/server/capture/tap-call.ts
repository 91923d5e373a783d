import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { whyBrokenOff } from '../answers/break-off.ts';
import { onClose } from '../answers/on-close.ts';
import type { CapturedCall } from './captured-call.ts';
import { tapBody } from './tap-body.ts';

/** Statuses whose answers have no body, whatever is written (RFC 9110, 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Does something with the record of a call, later. @param atMs now */
export type RecordLater = (task: (call: CapturedCall, atMs: number) => void) => void;

/**
 * Records what passes between a client and the server's answer to it, each part after it was passed on. A body that is still
 * on its way when its call is answered, such as that of a refused one, belongs to the call. The request must not have begun
 * to flow.
 */
export function tapCall(
  request: IncomingMessage,
  response: ServerResponse,
  { record, clock }: { record: RecordLater; clock: Pick<Clock, 'after'> },
): void {
  const body = tapBody(request, clock, (chunk) => {
    const part = chunk === null ? null : bytesOf(chunk);
    record((call, atMs) => call.sent(atMs, part));
  });

  const { writeHead, write, end } = response;
  const hasBody = () => request.method !== 'HEAD' && !BODILESS.has(response.statusCode);
  let hasBegun = false;
  /** The length that Node adds to the head of an answer whose whole body is there. */
  let length: { 'content-length'?: string } = {};
  /** @returns the bytes of the part */
  const recordPart = ([chunk, encoding]: unknown[]): number => {
    hasBegun = true;
    if (!hasBody() || !(typeof chunk === 'string' || chunk instanceof Uint8Array)) return 0;
    const part = bytesOf(chunk, encoding);
    record((call, atMs) => call.received(atMs, part));
    return part.length;
  };
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    Reflect.apply(writeHead, response, head);
    const { statusCode: status, statusMessage: reason } = response;
    const headers = response.getHeaders();
    // Runs once the answer has ended, where its whole body is there.
    record((call, atMs) => call.answered(atMs, { status, reason, headers: { ...length, ...headers } }));
    return response;
  }) as typeof writeHead;
  response.write = ((...part: Parameters<typeof write>) => {
    const hasRoom = Reflect.apply(write, response, part);
    recordPart(part);
    return hasRoom;
  }) as typeof write;
  response.end = ((...last: Parameters<typeof end>) => {
    const isFirst = !response.writableEnded;
    const isWhole = !hasBegun;
    body.readUnread();
    Reflect.apply(end, response, last);
    if (!isFirst) return response;
    const bytes = recordPart(last);
    if (isWhole && hasBody() && !response.chunkedEncoding) length = { 'content-length': `${bytes}` };
    return response;
  }) as typeof end;

  onClose(response, () => {
    const why = whyBrokenOff(response);
    const isComplete = response.writableFinished;
    const how = isComplete ? 'complete' : why === null ? 'the client left' : `broken off: ${why}`;
    const ended = () => record((call, atMs) => call.ended(atMs, how, !isComplete && why !== null));
    if (isComplete) body.onEnd(ended);
    else ended();
  });
}

/** Copies, because buffers of Node and of the engine are used again. */
const bytesOf = (chunk: string | Uint8Array, encoding?: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    typeof chunk === 'string'
      ? Buffer.from(chunk, Buffer.isEncoding(String(encoding)) ? (encoding as BufferEncoding) : 'utf8')
      : chunk,
  );
