import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isAllowedOrigin } from '../origin.ts';

/** Whether a call is the preflight of a browser, which sends one at moments of its own choice. */
export const isPreflight = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/**
 * Lets a page of this machine read the answer. Recorded headers would name the recorded page.
 * @returns whether the call is a preflight, which is answered
 */
export function admitPage(request: IncomingMessage, response: ServerResponse): boolean {
  const { method = '', headers } = request;
  const { origin, host } = headers;
  const isAllowed = origin !== undefined && isAllowedOrigin(origin, host);
  if (isAllowed) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', '*');
    response.setHeader('Vary', 'Origin');
  }
  if (!isPreflight(method, headers)) return false;
  if (isAllowed) {
    response.setHeader('Access-Control-Allow-Methods', headers['access-control-request-method'] ?? '');
    response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '');
  }
  response.writeHead(204).end();
  return true;
}
