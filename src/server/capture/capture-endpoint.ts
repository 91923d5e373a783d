import { randomBytes } from 'node:crypto';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { isOwnPage, remoteOf } from '../origin.ts';
import { type Handler, replyJson, replyText } from '../reply.ts';
import type { SocketEndpoint } from '../socket-endpoint.ts';
import { Shares } from '../state/shares.ts';
import type { Capture } from './capture.ts';
import { CaptureSession, CLOSE_GOING_AWAY } from './capture-session.ts';

/** Pages that watch at once, of all addresses: each may leave a message with a frame of 16 MiB unread. */
const MAX_WATCHING = 16;

const NO_MORE = { code: CLOSE_GOING_AWAY, reason: 'the server takes no more connections' };

/**
 * `GET` gives pages of this server the token of the socket. Other pages cannot read it. A program that imitates a browser
 * can, as it could read a token in the page, so the token is not bound to the page.
 */
export function createCaptureAccess(
  capture: Capture | null,
  meter: EndpointMeter,
): {
  handle: Handler;
  endpoint: SocketEndpoint | null;
} {
  const token = randomBytes(24).toString('base64url');
  const watching = new Shares<CaptureSession>();
  const watch = (connection: Connection, capture: Capture, address: string) => {
    const session = new CaptureSession(connection, capture, () => watching.remove(session));
    watching.add(session, [address]);
    if (watching.size > MAX_WATCHING)
      watching.first()?.giveUp(`at most ${MAX_WATCHING} pages watch clients at a time`);
    return session;
  };
  return {
    handle(request, response) {
      if (!isOwnPage(request.headers))
        return replyText(request, response, 403, 'Only a page of this server may capture.');
      return replyJson(request, response, 200, { token: capture && token });
    },
    endpoint: capture && {
      captureAs: null,
      meter,
      // Its list of clients may change rarely.
      mayIdle: true,
      restart: { code: CLOSE_GOING_AWAY, reason: 'restarting' },
      admit: ({ request, url }) =>
        isOwnPage(request.headers) && url.searchParams.get('token') === token
          ? { headers: [], open: (connection) => watch(connection, capture, remoteOf(request)) }
          : { status: 403, why: 'only a page of this server may capture' },
      turnedAway: { full: NO_MORE, unreachable: NO_MORE, 'shutting down': NO_MORE },
    },
  };
}
