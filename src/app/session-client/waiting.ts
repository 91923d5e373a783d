export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Gives up after this time without progress. */
  stalledAfterMs: number;
  /** Returns a text that changes with progress. Without it, `stalledAfterMs` limits the whole wait. */
  progress?: () => string;
}

interface Wait {
  isReached: () => boolean;
  progress: () => string;
  last: string;
  stalledAfterMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  settle: (reached: boolean) => void;
  fail: (reason: unknown) => void;
}

/** Waits for conditions on a state that others change; call `check` after every change. */
export class Waiting {
  readonly #waits = new Set<Wait>();
  #ended: { reason: unknown } | null = null;

  /**
   * Resolves to true as soon as the condition holds, and to false where progress stalled.
   * @throws the signal's reason, or that of `end`
   */
  async until(isReached: () => boolean, { signal, stalledAfterMs, progress }: WaitOptions): Promise<boolean> {
    signal?.throwIfAborted();
    if (this.#ended) throw this.#ended.reason;
    if (isReached()) return true;
    const progressOf = progress ?? (() => '');
    return await new Promise<boolean>((resolve, reject) => {
      const onAbort = (): void => wait.fail(signal?.reason);
      const close = (): void => {
        clearTimeout(wait.timer);
        this.#waits.delete(wait);
        signal?.removeEventListener('abort', onAbort);
      };
      const wait: Wait = {
        isReached,
        progress: progressOf,
        last: progressOf(),
        stalledAfterMs,
        timer: undefined,
        settle: (reached) => {
          close();
          resolve(reached);
        },
        fail: (reason) => {
          close();
          reject(reason);
        },
      };
      signal?.addEventListener('abort', onAbort);
      this.#waits.add(wait);
      this.#arm(wait);
    });
  }

  /** Checks every condition again. */
  check(): void {
    for (const wait of [...this.#waits]) {
      if (wait.isReached()) {
        wait.settle(true);
        continue;
      }
      const now = wait.progress();
      if (now === wait.last) continue;
      wait.last = now;
      this.#arm(wait);
    }
  }

  /** Rejects every wait, also later ones: nothing will change any more. */
  end(reason: unknown): void {
    this.#ended = { reason };
    for (const wait of [...this.#waits]) wait.fail(reason);
  }

  #arm(wait: Wait): void {
    clearTimeout(wait.timer);
    wait.timer = setTimeout(() => wait.settle(false), wait.stalledAfterMs);
  }
}
