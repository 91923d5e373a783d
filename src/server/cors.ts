import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAllowedOrigin } from './origin.ts';

/** What the page and the vendor's SDK send (`facts 1.2`). */
const HEADERS = 'Authorization, Content-Type, X-API-Key, X-KugelAudio-SDK, X-KugelAudio-SDK-Version';
const PREFLIGHT_SECONDS = 600;

/** Lets pages of this machine read the answer; other origins get no such header, and the browser keeps it from them. */
export function setCorsHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin');
  const { origin, host } = request.headers;
  if (origin === undefined || !isAllowedOrigin(origin, host)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  if (request.method !== 'OPTIONS') return;
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD');
  response.setHeader('Access-Control-Allow-Headers', HEADERS);
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
}
