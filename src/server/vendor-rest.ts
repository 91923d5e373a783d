import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAllowedOrigin } from './origin.ts';
import type { Handler } from './reply.ts';

/** Headers that the page and the vendors' SDKs send (`facts 1.2`). */
const HEADERS = 'Authorization, Content-Type, X-API-Key, X-KugelAudio-SDK, X-KugelAudio-SDK-Version';
const METHODS = 'GET, HEAD, OPTIONS';
const PREFLIGHT_SECONDS = 600;

/**
 * Wraps the REST calls under a vendor's prefix: answers preflights and refuses methods other than GET and HEAD.
 * @param refuseMethod answers 405 in the vendor's form
 */
export function vendorRest(
  serve: Handler,
  refuseMethod: (request: IncomingMessage, response: ServerResponse) => void,
): Handler {
  return (request, response, url, next) => {
    // Any page that passes the origin check may use catalogues and samples.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    setCorsHeaders(request, response);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { Allow: METHODS }).end();
      return;
    }
    if (request.method === 'GET' || request.method === 'HEAD') return serve(request, response, url, next);
    response.setHeader('Allow', METHODS);
    refuseMethod(request, response);
  };
}

/** Lets pages of this machine read the answer. Without the header, the browser withholds it from other origins. */
function setCorsHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin');
  const { origin, host } = request.headers;
  if (origin === undefined || !isAllowedOrigin(origin, host)) return;
  response.setHeader('Access-Control-Allow-Origin', origin);
  if (request.method !== 'OPTIONS') return;
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD');
  response.setHeader('Access-Control-Allow-Headers', HEADERS);
  response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
}
