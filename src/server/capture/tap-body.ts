import type { IncomingMessage } from 'node:http';
import type { Clock } from '#lib/clock.ts';

/** The rest of a body is awaited for this long after its answer. A vendor's calls read a refused one for half a second. */
const REST_WITHIN_MS = 5000;

/** The body of a request while it arrives. */
export interface TappedBody {
  /** Reads what nobody reads. Node would discard it unseen at the end of the answer. */
  readUnread(): void;
  /** Runs a task once the body has arrived, its connection has closed, or the time for it is over. */
  onEnd(task: () => void): void;
}

/** Passes on each part of a body that arrives, and null for its end. The request must not have begun to flow. */
export function tapBody(
  request: IncomingMessage,
  clock: Pick<Clock, 'after'>,
  arrived: (part: string | Uint8Array | null) => void,
): TappedBody {
  let ended = () => {};
  // A listener would start the body before its reader, and miss what nobody reads.
  const { push, socket } = request;
  request.push = (chunk, encoding) => {
    const isWanted = push.call(request, chunk, encoding);
    arrived(chunk);
    if (chunk === null) ended();
    return isWanted;
  };
  return {
    readUnread() {
      if (request.readableFlowing === null) request.resume();
    },
    onEnd(task) {
      if (request.complete || socket.destroyed) return task();
      const finish = () => {
        ended = () => {};
        stopTimer();
        socket.off('close', finish);
        task();
      };
      const stopTimer = clock.after(REST_WITHIN_MS, finish);
      socket.once('close', finish);
      ended = finish;
    },
  };
}
