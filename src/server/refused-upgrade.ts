import { randomUUID } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type Duplex, pipeline, Readable } from 'node:stream';
import type { RefusalText } from './capture/captured-connection.ts';
import { tapText } from './capture/tap.ts';
import type { Refused } from './rest.ts';

/** Time in which a client reads some of a refusal. */
const READ_REFUSAL_WITHIN_MS = 30_000;

/** An answer to an upgrade request other than a WebSocket. */
export interface RefusedUpgrade {
  status: number;
  /** For people, one line, or the body with its headers and the reason of its status line. */
  why: string | { reason?: string; headers: readonly string[]; body: Readable };
}

/** The refusal of a call, as the answer to a handshake. */
export function refusedUpgrade({ status, body, headers }: Refused): RefusedUpgrade {
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    status,
    why: {
      headers: Object.entries({ 'Content-Type': type, ...headers }).map((each) => each.join(': ')),
      body: Readable.from([isText ? body : JSON.stringify(body)]),
    },
  };
}

/** @param passed called with the text of the answer, before the client can have all of it, and again once the client has left */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  { status, why }: RefusedUpgrade,
  passed?: (answer: RefusalText) => void,
): void {
  const { reason, headers, body } =
    typeof why === 'string'
      ? {
          reason: undefined,
          headers: ['Content-Type: text/plain; charset=utf-8'],
          body: Readable.from([`${why}\n`]),
        }
      : why;
  if (socket instanceof Socket) socket.setTimeout(READ_REFUSAL_WITHIN_MS, () => socket.destroy());
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  for (const line of headers) {
    const colon = line.indexOf(':');
    response.appendHeader(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  if (!response.hasHeader('x-request-id')) response.setHeader('x-request-id', randomUUID());
  response.writeHead(status, reason);
  const textOf = passed && tapText(body);
  const report = () =>
    passed?.({
      body: response.hasHeader('content-encoding') ? '' : (textOf?.() ?? ''),
      contentType: String(response.getHeader('content-type') ?? ''),
    });
  body.once('end', report);
  pipeline(body, response, () => {
    report();
    socket.end(() => socket.destroy());
  });
}
