import type { OpenSession } from '../web-socket.ts';
import type { CapturedConnection } from './captured-connection.ts';

/** Records that a session opens, and all frames of its client. */
export const tapped =
  (open: OpenSession, record: CapturedConnection): OpenSession =>
  (connection) => {
    record.happened('opened', {});
    const session = open(connection);
    return (
      session && {
        text(message) {
          record.frame('out', message);
          session.text(message);
        },
        binary(message) {
          record.frame('out', new Uint8Array(message));
          session.binary(message);
        },
        pinged: () => session.pinged?.(),
        gone: (end) => session.gone(end),
        goingAway: () => session.goingAway(),
      }
    );
  };

/** Returns the recorder of frames to the client. A session may go on sending to a closed connection, which sends nothing. */
export const sentTo =
  (record: CapturedConnection) =>
  (message: string | Uint8Array): void =>
    record.frame('in', typeof message === 'string' ? message : new Uint8Array(message));
