import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SearcherMessage, SearchTask } from './search.ts';
import { openWorkerSearcher } from './worker-searcher.ts';

const TASK: SearchTask = {
  block: { entries: Uint32Array.of(7), ends: Uint32Array.of(1), bytes: Uint8Array.of(0x61) },
  isBinary: Uint8Array.of(0),
};

/** A worker that does what a test says. */
class OtherWorker {
  static last: OtherWorker;
  readonly posted: SearcherMessage['type'][] = [];
  onmessage: ((event: { data: readonly number[] }) => void) | null = null;
  onerror: (() => void) | null = null;
  terminate = vi.fn();

  constructor() {
    OtherWorker.last = this;
  }

  postMessage({ type }: SearcherMessage): void {
    this.posted.push(type);
  }
}

beforeEach(() => vi.stubGlobal('Worker', OtherWorker));
afterEach(() => vi.unstubAllGlobals());

const open = () => openWorkerSearcher({ text: 'a', isRegex: false, matchCase: true, withAudio: false });

describe('a searcher in a worker', () => {
  it('tells the query once, and answers one block after the other', async () => {
    const searcher = open();
    for (const hits of [[7], []]) {
      const found = searcher.search(TASK);
      OtherWorker.last.onmessage?.({ data: hits });
      expect(await found).toEqual(hits);
    }
    expect(OtherWorker.last.posted).toEqual(['query', 'task', 'task']);
    searcher.end();
    expect(OtherWorker.last.terminate).toHaveBeenCalledOnce();
  });

  it.each(['before it is asked', 'while it is asked'])('fails where its worker stops %s', async (when) => {
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
