import type { SpeechRequest } from '../engine.ts';
import { Turns } from '../fairness.ts';

type Share = Pick<SpeechRequest, 'session' | 'context'>;

interface WaitingRequest {
  readonly session: string;
  readonly context: string;
  /** Unknown, as no waiting request has audio. Sessions then simply alternate. */
  readonly leadMs: undefined;
  readonly enter: () => void;
}

/** Limits the requests at a time. Sessions, and the contexts of a session, get the free places in turn. */
export class RequestSlots {
  #free: number;
  readonly #turns = new Turns();
  readonly #waiting = new Set<WaitingRequest>();

  constructor(requests: number) {
    this.#free = requests;
  }

  /** Resolves with the function that leaves the place. Rejects with `signal.reason` after an abort. */
  async enter({ session, context = '' }: Share, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(request);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const request: WaitingRequest = { session, context, leadMs: undefined, enter };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(request);
      this.#next();
    });
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#free += 1;
      this.#next();
    };
  }

  #next(): void {
    while (this.#free > 0) {
      const chosen = this.#turns.choose(this.#waiting);
      if (!chosen) return;
      this.#free -= 1;
      this.#waiting.delete(chosen);
      this.#turns.served(chosen);
      chosen.enter();
    }
  }
}
