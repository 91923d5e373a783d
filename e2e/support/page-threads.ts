import { readFileSync } from 'node:fs';
import type { Browser, CDPSession } from '@playwright/test';

/** Memory of one thread of a page. */
export interface ThreadMemory {
  type: string;
  url: string;
  /** Objects of JavaScript and of the DOM, and array buffers. Shared array buffers belong to no thread. */
  bytes: number;
}

interface HeapUsage {
  usedSize: number;
  embedderHeapUsedSize: number;
  backingStorageSize: number;
}

interface Call {
  session: string;
  answered(result: unknown): void;
}

/** The threads of a page: its own, its workers and its audio worklets. Workers of workers are not among them. */
export class PageThreads {
  readonly #devTools: CDPSession;
  /** All but the page's own, by session. */
  readonly #others = new Map<string, { type: string; url: string }>();
  readonly #calls = new Map<number, Call>();
  #lastCall = 0;

  private constructor(devTools: CDPSession) {
    this.#devTools = devTools;
    devTools.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      this.#others.set(sessionId, targetInfo);
    });
    devTools.on('Target.detachedFromTarget', ({ sessionId }) => this.#ended(sessionId));
    devTools.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message) as { id?: number; result?: unknown };
      // Events have no number.
      if (id !== undefined) this.#answered(id, result);
    });
  }

  /** @param devTools a session of the page */
  static async of(devTools: CDPSession): Promise<PageThreads> {
    const threads = new PageThreads(devTools);
    // Playwright passes on no messages of flat sessions.
    const within = { autoAttach: true, waitForDebuggerOnStart: false, flatten: false };
    await devTools.send('Target.setAutoAttach', within);
    return threads;
  }

  /** Collects the garbage of every thread, and returns what is left, the page's own first. */
  async memory(): Promise<ThreadMemory[]> {
    const others = [...this.#others];
    await this.#devTools.send('HeapProfiler.collectGarbage');
    for (const [session] of others) await this.#call(session, 'HeapProfiler.collectGarbage');
    const own = { type: 'page', url: '', bytes: bytesOf(await this.#devTools.send('Runtime.getHeapUsage')) };
    const memory: ThreadMemory[] = [own];
    for (const [session, { type, url }] of others) {
      const usage = await this.#call(session, 'Runtime.getHeapUsage');
      if (usage) memory.push({ type, url, bytes: bytesOf(usage as HeapUsage) });
    }
    return memory;
  }

  /** Returns the answer of a thread; undefined where it has ended. */
  async #call(session: string, method: string): Promise<unknown> {
    if (!this.#others.has(session)) return undefined;
    this.#lastCall += 1;
    const id = this.#lastCall;
    const answer = new Promise((answered) => this.#calls.set(id, { session, answered }));
    const message = JSON.stringify({ id, method });
    await this.#devTools
      .send('Target.sendMessageToTarget', { sessionId: session, message })
      .catch(() => this.#ended(session));
    return answer;
  }

  #answered(id: number, result: unknown): void {
    this.#calls.get(id)?.answered(result);
    this.#calls.delete(id);
  }

  #ended(session: string): void {
    this.#others.delete(session);
    for (const [id, call] of [...this.#calls]) if (call.session === session) this.#answered(id, undefined);
  }
}

const bytesOf = ({ usedSize, embedderHeapUsedSize, backingStorageSize }: HeapUsage): number =>
  usedSize + embedderHeapUsedSize + backingStorageSize;

/**
 * Returns the anonymous memory of the process of the busiest page, in bytes: all threads with their shared array buffers,
 * compiled code and free room. NaN where the system does not tell.
 */
export async function pageProcessBytes(browser: Browser): Promise<number> {
  const devTools = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
    const [busiest] = processInfo
      .filter(({ type }) => type === 'renderer')
      .sort((a, b) => b.cpuTime - a.cpuTime);
    const memory = readFileSync(`/proc/${busiest?.id}/smaps_rollup`, 'utf8');
    return 1024 * Number(/^Anonymous:\s+(\d+) kB/m.exec(memory)?.[1]);
  } catch {
    return Number.NaN;
  } finally {
    await devTools.detach();
  }
}
