import type { Command, Report } from '#session/messages.ts';
import type { Problem } from '#session/views.ts';

/** A session in a worker of its own, seen from the page. */
export interface SessionWorker {
  post(command: Command, transfer?: Transferable[]): void;
  /** Ends it at once; its connection goes with it. */
  end(): void;
}

/**
 * Starts a session: the page has one, and runs that are compared have theirs beside it.
 * @param stopped the worker has failed, which is told in the words of a problem
 */
export function openSessionWorker(
  received: (report: Report) => void,
  stopped: (problem: Problem) => void,
): SessionWorker {
  const worker = new Worker(new URL('../../session/worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<Report>) => received(data);
  worker.onerror = () =>
    stopped({
      id: -1,
      turn: null,
      atMs: 0,
      severity: 'error',
      title: 'The session could not go on',
      detail: 'Its worker has stopped, so nothing can be sent or heard.',
      remedy: 'Reload the page.',
    });
  return {
    post: (command, transfer = []) => worker.postMessage(command, transfer),
    end: () => worker.terminate(),
  };
}
