import type { Clock } from '#lib/clock.ts';
import { faultFields, type Log } from '../log.ts';
import { onLeave, type RestContext } from '../rest.ts';
import { breakOff } from './break-off.ts';

/**
 * A client that reads nothing for this long is cut. Longer than on sockets, because a client that plays while it reads
 * frees the kernel's buffers in steps of 1.6 MB, which are 200 s of 8 kHz at 8 bits.
 */
export const UNREAD_MS = 300_000;
export const CLIENT_READS_NOTHING = `the client read nothing for ${UNREAD_MS / 1000} s`;

/** An answer is cut on time by this clock, and its log says why. */
export interface Watch {
  clock: Clock;
  log: Log;
}

/**
 * Streams the parts of an answer as fast as the client reads. Breaks the connection when the client reads nothing for
 * `UNREAD_MS`, and when the parts fail.
 */
export function watchedBody(
  c: RestContext,
  { clock, log }: Watch,
  parts: Iterator<Uint8Array<ArrayBuffer>> | AsyncIterator<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { outgoing } = c.env;
  let hasLeft = false;
  let stopTimer = () => {};
  /** Also watches the end of the answer, which is written after the last pull. */
  const watchForStall = () => {
    stopTimer();
    if (hasLeft) return;
    stopTimer = clock.after(UNREAD_MS, () => {
      log.warn({ why: 'unread' }, 'answer cut');
      breakOff(outgoing, CLIENT_READS_NOTHING);
    });
  };
  onLeave(c, () => {
    hasLeft = true;
    stopTimer();
  });
  watchForStall();
  return new ReadableStream(
    {
      async pull(controller) {
        stopTimer();
        try {
          const part = await parts.next();
          if (hasLeft) return;
          if (part.done) controller.close();
          else controller.enqueue(part.value);
          watchForStall();
        } catch (error) {
          // The adapter would print the fault, which may repeat a text.
          if (hasLeft) return;
          log.error(faultFields(error), 'answer failed');
          breakOff(outgoing, 'the server failed');
        }
      },
    },
    { highWaterMark: 0 },
  );
}
