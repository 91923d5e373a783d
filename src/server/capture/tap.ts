import type { OpenSession } from '../web-socket.ts';
import type { CapturedConnection } from './captured-connection.ts';

/** Records all frames of a session as its client sends and receives them. */
export const tapped =
  (open: OpenSession, record: CapturedConnection): OpenSession =>
  (connection) => {
    record.happened('opened', {});
    const session = open({
      ...connection,
      send(message) {
        record.frame('in', typeof message === 'string' ? message : new Uint8Array(message));
        connection.send(message);
      },
    });
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
        gone: (end) => session.gone(end),
        goingAway: () => session.goingAway(),
      }
    );
  };
