import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request, or calls `next` where it is not its own. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  next: () => void,
) => Promise<void> | void;

/** The address of a request; null where it is none. Host and scheme are not the request's. */
export function addressOf(request: IncomingMessage): URL | null {
  try {
    return new URL(request.url ?? '', 'http://voicewire.invalid');
  } catch {
    return null;
  }
}

/** A body, which is left out where only the headers were asked for. */
function reply(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
): void {
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}

export function replyJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: unknown,
): void {
  response.setHeader('Cache-Control', 'no-store');
  reply(request, response, status, 'application/json; charset=utf-8', JSON.stringify(value));
}

export const replyText = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void => reply(request, response, status, 'text/plain; charset=utf-8', `${text}\n`);
