import type { CallPort } from '#lib/worker-calls.ts';
import { whenIdle } from './idle.ts';

/**
 * A worker that starts once the page is idle, because its code and its start would delay the first picture. Until then it
 * keeps messages, in order. On a page that has loaded it starts at once.
 */
export class LateWorker implements CallPort {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: (() => void) | null = null;
  /** Null once the worker has started. */
  #early: { message: unknown; transfer: Transferable[] }[] | null = [];
  readonly #start: () => Worker;
  #worker: Worker | null = null;
  #isEnded = false;

  /** @param when runs its argument at the time of the start on a page that is still loading */
  constructor(start: () => Worker, when: (act: () => void) => void = whenIdle) {
    this.#start = start;
    if (typeof document === 'undefined' || document.readyState === 'complete') this.#begin();
    else when(() => this.#begin());
  }

  postMessage(message: unknown, transfer: Transferable[]): void {
    if (this.#worker) this.#worker.postMessage(message, transfer);
    else this.#early?.push({ message, transfer });
  }

  terminate(): void {
    this.#isEnded = true;
    this.#early = null;
    this.#worker?.terminate();
  }

  #begin(): void {
    if (this.#isEnded) return;
    const worker = this.#start();
    this.#worker = worker;
    worker.onmessage = (event: MessageEvent) => this.onmessage?.(event);
    worker.onerror = () => this.onerror?.();
    for (const { message, transfer } of this.#early ?? []) worker.postMessage(message, transfer);
    this.#early = null;
  }
}
