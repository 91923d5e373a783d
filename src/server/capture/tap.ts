import type { Readable } from 'node:stream';
import type { OpenSession } from '../sockets/web-socket.ts';
import type { CapturedConnection } from './captured-connection.ts';

/** A larger body of a refusal is not recorded: a part of it may end within a secret. */
const MAX_RECORDED_REFUSAL = 16 * 1024;

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

/** Returns the text of a refusal's body that others read, as far as it has passed; empty where it is long. */
export function tapText(body: Readable): () => string {
  const parts: Buffer[] = [];
  let bytes = 0;
  body.on('data', (part: Buffer | string) => {
    const read = Buffer.from(part);
    bytes += read.length;
    if (bytes <= MAX_RECORDED_REFUSAL) parts.push(read);
  });
  return () => (bytes <= MAX_RECORDED_REFUSAL ? Buffer.concat(parts).toString() : '');
}
