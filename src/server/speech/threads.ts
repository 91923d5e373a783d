import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread of the server. @param ended called once, with the reason, when the thread has ended */
export function startThread(
  url: URL,
  options: Pick<WorkerOptions, 'workerData' | 'transferList'>,
  ended: (reason: string) => void,
): Worker {
  // The parent's own flags (a loader, an inspector) are not for this thread.
  const worker = new Worker(url, { ...options, execArgv: [] });
  let reason = 'its thread ended';
  worker.on('error', ({ message }) => {
    reason = message;
  });
  worker.on('exit', () => ended(reason));
  return worker;
}
