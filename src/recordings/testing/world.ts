import type { ShownEntry } from '../store/payload-reader.ts';
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { openDB } from 'idb';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import { type CallConnection, callHere, connectCalls, type Remote, serveCalls } from '#lib/worker-calls.ts';
import type { CapturedClient, CaptureMessage, PageMessage } from '#trace/capture-messages.ts';
import type { NewEntry } from '#trace/entry.ts';
import type { CaptureHandlers } from '../capture/capture-socket.ts';
import type { RecordingEnvironment } from '../environment.ts';
import type { ExchangeOutcome, ExchangeTask } from '../files/exchange-messages.ts';
import { HarThread } from '../files/har-thread.ts';
import type { RecorderMessage } from '../recordings.ts';
import { Recordings, type RecordingsCalls, type RecordingsOptions } from '../recordings.ts';
import type { RecordingsView } from '../recordings-view.ts';
import { SoundCheck } from '../sound/sound-check.ts';
import type { PayloadBlock } from '../store/payload-block.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { SEARCHER } from '../view/search.ts';

export const START = { endpoint: 'kugel-stream', address: 'wss://host/ws', startedAtMs: 1_000_000 };

/** Longer than any delay until entries are stored and reported. */
const LONG_ENOUGH_MS = 1000;

export const newEntry = (entry: Partial<NewEntry> = {}): NewEntry => ({
  atUs: 0,
  direction: 'in',
  connection: 1,
  opcode: typeof entry.payload === 'object' ? 'binary' : 'text',
  bytes: entry.payload?.length ?? 2,
  kind: 'words',
  turn: null,
  context: null,
  chunk: null,
  audioMs: null,
  payload: '{}',
  ...entry,
});

/** A connection to the capture of a server. Both ends are up to the test. */
export interface CaptureLine {
  handlers: CaptureHandlers;
  sent: PageMessage[];
}

export const client = (change: Partial<CapturedClient> = {}): CapturedClient => ({
  id: 'c1',
  endpoint: 'kugel-stream',
  address: 'ws://127.0.0.1:4173/kugel/ws/tts/stream?api_key=[key]',
  program: 'agent/1.0',
  startedAtMs: 5_000_000,
  end: null,
  calls: null,
  bytes: 0,
  turns: 0,
  audioMs: 0,
  findings: { violations: 0, warnings: 0, advice: 0 },
  lost: 0,
  ...change,
});

/** A database, a clock and a tab that do only what a test says, around real recordings. */
export class RecordingWorld {
  nowMs = 0;
  readonly reports: Partial<RecordingsView>[] = [];
  quotaBytes: number | null = null;
  usedBytes = 0;
  hasDatabase = true;
  /** What comes of a block of payloads that is read; may throw. */
  readBlock = (block: PayloadBlock | undefined): PayloadBlock | undefined => block;
  isSearchStuck = false;
  /** What opening a searcher fails with. */
  failSearchers: Error | null = null;
  readonly #endedSearchers = new Set<unknown>();
  openHar = (): CallConnection<HarThread> => callHere(new HarThread());
  readonly heldElsewhere = new Set<string>();
  /** Connections to the capture, in the order of opening. */
  readonly lines: CaptureLine[] = [];
  #timers: { atMs: number; task: () => void }[] = [];
  #ids = 0;
  #recorded = 0;
  #held = new Set<string>();
  #lost: (() => void) | null = null;
  #failWrites: { error: Error; times: number } | null = null;
  /** Of {@link Recordings} from the next {@link reload} on. */
  readonly limits: Partial<RecordingsOptions>;
  recordings: Recordings;
  /** Posts as the session worker does. */
  feed: (message: RecorderMessage) => void = () => {};
  /** The page's end. Methods that are done at once have been done when the call returns. */
  calls: Remote<RecordingsCalls>;

  constructor(limits: Partial<RecordingsOptions> & { hasDatabase?: boolean } = {}) {
    globalThis.indexedDB = new IDBFactory();
    const { hasDatabase = true, ...rest } = limits;
    this.hasDatabase = hasDatabase;
    this.limits = rest;
    this.recordings = this.#open();
    this.calls = this.#connect();
  }

  /** The tab has crashed or was reloaded: what was only in memory is gone. */
  reload(): void {
    this.#timers = [];
    this.#held = new Set();
    this.reports.length = 0;
    this.recordings = this.#open();
    this.calls = this.#connect();
  }

  /** The server sends on the newest connection. */
  say(message: CaptureMessage): void {
    this.lines.at(-1)?.handlers.received(message);
  }

  /** Lets the next writes fail. @param name of the error */
  failToWrite(name: string, times: number): void {
    this.#failWrites = { error: new DOMException('', name), times };
  }

  loseDatabase(): void {
    this.#lost?.();
  }

  record(entries: readonly NewEntry[]): void {
    this.feed({ type: 'entries', first: this.#recorded, entries });
    this.#recorded += entries.length;
  }

  /** Records entries, and lets them be stored. */
  async keep(entries: readonly NewEntry[]): Promise<void> {
    this.record(entries);
    await this.advance(LONG_ENOUGH_MS);
  }

  /** Begins another recording. */
  begin(start: Partial<typeof START> = {}): void {
    this.feed({ type: 'begin', start: { ...START, ...start } });
  }

  /** The listed recordings, newest first. */
  async list(): Promise<NonNullable<RecordingsView['list']>> {
    void this.calls.refresh();
    await this.settle();
    return this.view.list ?? [];
  }

  /** Runs an export, an import or an extraction to its end. */
  async exchange(task: ExchangeTask, signal = new AbortController().signal): Promise<ExchangeOutcome> {
    let isOver = false;
    const outcome = this.calls.exchange(task, () => {}, signal);
    const over = (): void => {
      isOver = true;
    };
    void outcome.then(over, over);
    while (!isOver) await this.advance(1);
    return outcome;
  }

  /** Number of rows in the database, of listed recordings and of all others. */
  async rows(): Promise<number> {
    const database = await openDB('voicewire-recordings');
    const counts = [...database.objectStoreNames].map((name) => database.count(name));
    const total = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    database.close();
    return total;
  }

  /** Everything that was reported, as the page would have it. */
  get view(): Partial<RecordingsView> {
    return Object.assign({}, ...this.reports);
  }

  get searchersEnded(): number {
    return this.#endedSearchers.size;
  }

  get failures(): string[] {
    return this.reports.flatMap(({ failure }) => failure ?? []);
  }

  /** Lets time pass, and the database do what it has to. */
  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    await this.settle();
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (!next || next.atMs > endMs) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.task();
      await this.settle();
    }
    this.nowMs = endMs;
  }

  /** The database answers in tasks of its own; after so many in which nothing was asked it has no more to say. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  #connect(): Remote<RecordingsCalls> {
    const [recordingsEnd, pageEnd] = linkedPorts();
    this.recordings.serve(recordingsEnd);
    const { calls } = connectCalls<RecordingsCalls>(pageEnd);
    void calls.watch((change) => this.reports.push(change));
    return calls;
  }

  #open(): Recordings {
    const environment: RecordingEnvironment = {
      nowMs: () => this.nowMs,
      after: (delayMs, task) => {
        const timer = { atMs: this.nowMs + delayMs, task };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
      newId: () => {
        this.#ids += 1;
        return `recording-${this.#ids}`;
      },
      openStore: async (lost) => {
        if (!this.hasDatabase) throw new Error('There is no database.');
        this.#lost = lost;
        const store = await RecordingStore.open(lost);
        const write = store.write.bind(store);
        store.write = async (batch) => {
          if (!this.#failWrites || this.#failWrites.times === 0) return write(batch);
          this.#failWrites.times -= 1;
          throw this.#failWrites.error;
        };
        const block = store.block.bind(store);
        store.block = async (...place) => this.readBlock(await block(...place));
        return store;
      },
      space: async () =>
        this.quotaBytes === null ? null : { usedBytes: this.usedBytes, quotaBytes: this.quotaBytes },
      claims: {
        hold: (id) => this.#held.add(id),
        release: (id) => this.#held.delete(id),
        held: async () => new Set([...this.#held, ...this.heldElsewhere]),
      },
      openCapture: (handlers) => {
        const line: CaptureLine = { handlers, sent: [] };
        this.lines.push(line);
        return { send: (message) => line.sent.push(message) };
      },
      openHar: () => this.openHar(),
      reference: async () => null,
      openSoundCheck: async (endpoint) => new SoundCheck(endpoint, async () => null),
      openSearcher: () => {
        if (this.failSearchers) throw this.failSearchers;
        const [searcherEnd, ownEnd] = linkedPorts();
        if (!this.isSearchStuck) serveCalls(searcherEnd, SEARCHER);
        const { calls, dispose } = connectCalls<typeof SEARCHER>(ownEnd);
        return {
          calls,
          dispose: () => {
            this.#endedSearchers.add(ownEnd);
            dispose();
          },
        };
      },
    };
    const recordings = new Recordings({
      ...this.limits,
      environment,
    });
    const [recordingsEnd, sessionEnd] = linkedPorts();
    recordings.attachRecorder(recordingsEnd);
    this.feed = (message) => sessionEnd.postMessage(message, []);
    this.begin();
    return recordings;
  }
}

/** Yields every entry of a recording. */
export async function* recordedEntries(
  recordings: Recordings,
  id: string,
): AsyncGenerator<ShownEntry, void, undefined> {
  const { index, reader } = await recordings.open(id);
  for (let at = 0; at < index.length; at += 1) yield await reader.entry(at);
}
