import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import { serveCalls } from '#lib/worker-calls.ts';
import type { SearchTask } from './search.ts';
import { openWorkerSearcher, SearchThread } from './worker-searcher.ts';

const TASK: SearchTask = {
  block: { entries: Uint32Array.of(7), ends: Uint32Array.of(1), bytes: Uint8Array.of(0x61) },
  isBinary: Uint8Array.of(0),
};

/** A worker that searches in this thread, or never answers. */
class OtherWorker {
  static last: OtherWorker;
  static isStuck = false;
  onerror: (() => void) | null = null;
  terminate = vi.fn();
  readonly #port;

  constructor() {
    OtherWorker.last = this;
    const [workerEnd, pageEnd] = linkedPorts();
    if (!OtherWorker.isStuck) serveCalls(workerEnd, new SearchThread());
    this.#port = pageEnd;
  }

  set onmessage(listener: ((event: MessageEvent) => void) | null) {
    this.#port.onmessage = listener;
  }

  postMessage(message: unknown, transfer: Transferable[]): void {
    this.#port.postMessage(message, transfer);
  }
}

beforeEach(() => {
  OtherWorker.isStuck = false;
  vi.stubGlobal('Worker', OtherWorker);
});
afterEach(() => vi.unstubAllGlobals());

const open = () => openWorkerSearcher({ text: 'a', isRegex: false, matchCase: true, withAudio: false });

describe('a searcher in a worker', () => {
  it('searches one block after the other', async () => {
    const searcher = open();
    expect(await searcher.search(TASK)).toEqual([7]);
    expect(await searcher.search({ ...TASK, isBinary: Uint8Array.of(1) })).toEqual([]);
    searcher.end();
    expect(OtherWorker.last.terminate).toHaveBeenCalledOnce();
  });

  it.each(['before it is asked', 'while it is asked'])('fails where its worker stops %s', async (when) => {
    OtherWorker.isStuck = true;
    const searcher = open();
    const stop = () => OtherWorker.last.onerror?.();
    if (when === 'before it is asked') stop();
    await new Promise((resolve) => setImmediate(resolve));
    const found = searcher.search(TASK);
    if (when === 'while it is asked') stop();
    await expect(found).rejects.toThrow('has stopped');
  });

  it('searches here where there are no workers', async () => {
    vi.stubGlobal('Worker', undefined);
    expect(await open().search(TASK)).toEqual([7]);
  });
});
