import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request or calls `next`. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  next: () => void,
) => Promise<void> | void;

const PLACEHOLDER = 'http://voicewire.invalid';

/** Address of a request, null if invalid. Host and scheme are placeholders. */
export function addressOf(request: IncomingMessage): URL | null {
  const { url = '' } = request;
  return URL.canParse(url, PLACEHOLDER) ? new URL(url, PLACEHOLDER) : null;
}

/** Sends a body, without it for HEAD. */
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
