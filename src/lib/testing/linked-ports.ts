import type { CallPort } from '../worker-calls.ts';

export interface LinkedPort extends CallPort {
  isClosed: boolean;
  close(): void;
}

/** Two ends of a channel that delivers clones at once, so that tests need not wait for the event loop. */
export function linkedPorts(): [LinkedPort, LinkedPort] {
  const ends: LinkedPort[] = [0, 1].map((end) => ({
    onmessage: null,
    isClosed: false,
    postMessage(message: unknown, transfer: Transferable[]) {
      const data = structuredClone(message, { transfer });
      if (!this.isClosed) ends[1 - end]?.onmessage?.({ data } as MessageEvent);
    },
    close() {
      for (const one of ends) one.isClosed = true;
    },
  }));
  return ends as [LinkedPort, LinkedPort];
}
