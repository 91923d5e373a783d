export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Gives up after this time without progress. */
  stalledAfterMs: number;
  /** Returns a text that changes with progress. Without it, `stalledAfterMs` limits the whole wait. */
  progress?: () => string;
}

interface Wait {
  check(): void;
  fail(reason: unknown): void;
}

/** Waits for conditions on a state that others change; call `check` after every change. */
export class Waiting {
  readonly #waits = new Set<Wait>();
  #disposed: { reason: unknown } | null = null;

  /** Resolves to true once the condition holds, to false after a stall. @throws the reason of an abort or `dispose` */
  async until(
    isReached: () => boolean,
    { signal, stalledAfterMs, progress = () => '' }: WaitOptions,
  ): Promise<boolean> {
    signal?.throwIfAborted();
    if (this.#disposed) throw this.#disposed.reason;
    if (isReached()) return true;
    let end = (): void => undefined;
    try {
      return await new Promise<boolean>((resolve, reject) => {
        const arm = () => setTimeout(() => resolve(false), stalledAfterMs);
        let [last, timer] = [progress(), arm()];
        const wait: Wait = {
          check: () => {
            if (isReached()) return resolve(true);
            const now = progress();
            if (now === last) return;
            last = now;
            clearTimeout(timer);
            timer = arm();
          },
          fail: reject,
        };
        const abort = (): void => reject(signal?.reason);
        signal?.addEventListener('abort', abort);
        this.#waits.add(wait);
        end = () => {
          clearTimeout(timer);
          this.#waits.delete(wait);
          signal?.removeEventListener('abort', abort);
        };
      });
    } finally {
      end();
    }
  }

  check(): void {
    for (const wait of [...this.#waits]) wait.check();
  }

  /** Rejects every wait, now and later. */
  dispose(reason: unknown): void {
    this.#disposed = { reason };
    for (const wait of [...this.#waits]) wait.fail(reason);
  }
}
