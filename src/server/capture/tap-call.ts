import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import { whyBrokenOff } from '../answers/break-off.ts';
import { onClose } from '../answers/on-close.ts';
import type { CapturedCall } from './captured-call.ts';
import type { BodyPart, QueuedBody } from './queued-body.ts';
import { tapBody } from './tap-body.ts';

/** Statuses whose answers have no body, whatever is written (RFC 9110, 6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Does something with the record of a call, later. @param atMs now */
export type RecordLater = (task: (call: CapturedCall, atMs: number) => void) => void;

/** The same with bytes of one of its bodies. */
export type RecordPart = (
  body: QueuedBody,
  bytes: Uint8Array<ArrayBuffer>,
  task: (call: CapturedCall, atMs: number, part: BodyPart) => void,
) => void;

interface Options {
  record: RecordLater;
  recordPart: RecordPart;
  bodies: { sent: QueuedBody; received: QueuedBody };
  clock: Pick<Clock, 'after'>;
}

/**
 * Records what passes between a client and the server's answer to it, each part after it was passed on. A body that is still
 * on its way when its call is answered, such as that of a refused one, belongs to the call. The request must not have begun
 * to flow.
 */
export function tapCall(
  request: IncomingMessage,
  response: ServerResponse,
  { record, recordPart, bodies, clock }: Options,
): void {
  const body = tapBody(request, clock, (chunk) => {
    if (chunk === null) record((call, atMs) => call.sent(atMs, null));
    else recordPart(bodies.sent, bytesOf(chunk), (call, atMs, part) => call.sent(atMs, part));
  });

  const { writeHead, write, end } = response;
  const hasBody = () => request.method !== 'HEAD' && !BODILESS.has(response.statusCode);
  let hasBegun = false;
  /** The length that Node adds to the head of an answer whose whole body is there. */
  let length: { 'content-length'?: string } = {};
  /** @returns the bytes of the part */
  const recordWritten = ([chunk, encoding]: unknown[]): number => {
    hasBegun = true;
    if (!hasBody() || !(typeof chunk === 'string' || chunk instanceof Uint8Array)) return 0;
    const bytes = bytesOf(chunk, encoding);
    recordPart(bodies.received, bytes, (call, atMs, part) => call.received(atMs, part));
    return bytes.length;
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
    recordWritten(part);
    return hasRoom;
  }) as typeof write;
  response.end = ((...last: Parameters<typeof end>) => {
    const isFirst = !response.writableEnded;
    const isWhole = !hasBegun;
    body.readUnread();
    Reflect.apply(end, response, last);
    if (!isFirst) return response;
    const bytes = recordWritten(last);
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
