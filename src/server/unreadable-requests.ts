import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Statuses and words for requests that Node gives up, by its code. Any other one is no HTTP. */
const REFUSALS: Readonly<Record<string, readonly [status: number, words: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `The line and the headers of a request have at most ${maxHeaderSize} bytes.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of the chunks of a body have at most 16384 bytes.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};
const NO_HTTP = [400, 'Expected a request in HTTP/1.1.'] as const;

/** Answers requests that Node cannot read, and says why. Node's own answers have no words. */
export function refuseUnreadable(server: Server): void {
  /** The latest answer of each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => void answers.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket);
    const [status, words] = REFUSALS[error.code ?? ''] ?? NO_HTTP;
    // Nothing may stand inside an answer that has begun.
    if (socket.writable && !(answer?.headersSent && !answer.writableFinished)) {
      socket.write(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
          `Content-Length: ${words.length + 1}\r\n\r\n${words}\n`,
      );
    }
    socket.destroy();
  });
}
