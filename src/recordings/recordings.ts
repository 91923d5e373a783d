import { bytes } from '#lib/format.ts';
import { messageOf } from '#lib/message-of.ts';
import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import type { BatcherMessage, FaultReport } from './batcher-messages.ts';
import { Clients } from './capture/clients.ts';
import { DEFAULT_TOLERANCE_MS, differencesOf, type FirstDifferences } from './difference/differences.ts';
import { type Outline, outlineOf } from './difference/outline.ts';
import { EntrySource } from './entry-source.ts';
import type { RecordingEnvironment } from './environment.ts';
import { runExchange } from './files/exchange.ts';
import type { ExchangeOutcome, ExchangeTask } from './files/exchange-messages.ts';
import type { ReadableRecording } from './files/exporter.ts';
import type { ReportRecordings } from './recordings-view.ts';
import { MEMORY_BYTES, type MemoryReason } from './store/live-recording.ts';
import type { ImportedRecording, Unstored } from './store/recording-import.ts';
import { RecordingWriter, type RecordingWriterOptions } from './store/recording-writer.ts';
import { openStored } from './store/stored-recording.ts';
import { GONE, Viewer } from './view/viewer.ts';
import { loopYielder } from './yield-to-loop.ts';

/** Differences that the page lists. */
const MAX_DIFFERENCES = 500;

export interface RecordingsOptions extends Omit<RecordingWriterOptions, 'handlers'> {
  environment: RecordingEnvironment;
}

/** The page's calls. Those about the shown recording and about clients reach their objects without another stop. */
export type RecordingsCalls = Recordings & Viewer & Clients;

/**
 * Stores recordings, and answers the page, which calls the methods over a port (`lib/worker-calls.ts`). One recording is
 * shown at a time. It runs in its own worker, because a filter over a million entries takes tens of milliseconds.
 */
export class Recordings {
  readonly #environment: RecordingEnvironment;
  #report: ReportRecordings = () => {};
  readonly #writer: RecordingWriter;
  /** The recording that is shown. */
  readonly viewer: Viewer;
  /** The other clients of the page's server. */
  readonly clients: Clients;
  #batcher: CallPort | null = null;
  /** The page shows the live recording, also when another one begins. */
  #followsLive = true;
  /** Counts calls of `show`, because only the last one counts. */
  #shows = 0;
  /** Serialises commands that wait for the database. */
  #last: Promise<void> = Promise.resolve();

  constructor({ environment, ...limits }: RecordingsOptions) {
    this.#environment = environment;
    this.viewer = new Viewer({
      environment,
      report: (change) => this.#report(change),
      heardSoFar: (turn) => this.#writer.heardSoFar(turn),
    });
    this.#writer = new RecordingWriter({
      environment,
      handlers: {
        grew: (id) => this.#grew(id),
        stateChanged: () => this.#reportRecorder(),
        listChanged: () => this.refresh(),
        evicted: (recordings) => {
          for (const { id } of recordings) this.clients.forget(id);
          this.#enqueue(() => this.#reportEvicted());
        },
      },
      ...limits,
    });
    this.clients = new Clients({
      environment,
      writer: this.#writer,
      report: (clients, growing) => this.#report({ clients, growing }),
      injected: (fault) => this.#batcher?.postMessage(fault satisfies FaultReport, []),
      grew: (id) => this.#grew(id),
      unstored: (reason) => this.#report({ failure: MESSAGES[reason] }),
    });
  }

  /** Answers the page. */
  serve(port: CallPort): void {
    serveCalls(port, this, this.viewer, this.clients);
  }

  /** Reports every change from now on. Never resolves, so that the caller's callback stays open. */
  watch(report: ReportRecordings): Promise<never> {
    this.#report = report;
    // The page may have been reloaded before the notice was read.
    this.#enqueue(() => this.#reportEvicted());
    return new Promise(() => {});
  }

  /** Receives from the session worker's port, and reports faults to it. */
  attachBatcher(port: CallPort): void {
    this.#batcher = port;
    port.onmessage = ({ data }: MessageEvent<BatcherMessage>) => this.#writer.take(data);
  }

  /** Serves the entries of a recording over the port, in batches; see {@link EntrySource}. @param follows to its end */
  serveEntries(recording: string, port: CallPort, follows: boolean): void {
    const tail = follows ? this.clients.tailOf(recording) : null;
    serveCalls(port, new EntrySource(() => this.open(recording), tail));
  }

  refresh(): void {
    this.#enqueue(() => this.#reportList());
  }

  /** Shows a recording; null: the live one, also when another one begins. */
  show(id: string | null): void {
    // A recording that is still being opened must not delay this one.
    this.viewer.leave();
    this.#shows += 1;
    const show = this.#shows;
    this.#followsLive = id === null || id === this.#writer.live?.info.id;
    const beside = id !== null && this.#writer.growing(id);
    if (id === null || this.#followsLive) this.viewer.showLive(this.#writer.live);
    else if (beside) this.viewer.showBeside(beside, this.clients.tailOf(id));
    else this.#enqueue(() => this.#showStored(id, show));
  }

  /** Writes new entries at once, because the page may close. */
  flush(): void {
    this.#enqueue(() => this.#writer.flush());
  }

  change(id: string, change: { name: string } | { pinned: boolean }): void {
    this.#enqueue(async () => {
      const growing = this.#writer.growing(id);
      if (growing) Object.assign(growing, change);
      const isStored = await (await this.#writer.store())?.change(id, change);
      if (!isStored && !growing) this.#report({ failure: GONE });
      this.viewer.changed(id, change);
      await this.#reportList();
    });
  }

  delete(id: string): void {
    this.#enqueue(async () => {
      const isShown = this.viewer.shownId === id;
      if (isShown) this.viewer.leave();
      this.clients.forget(id);
      if (this.#writer.growing(id)) await this.#writer.discard(id);
      else await (await this.#writer.store())?.remove(id);
      if (isShown) {
        this.#followsLive = true;
        this.viewer.showLive(this.#writer.live);
      }
      await this.#reportList();
    });
  }

  /** Forgets the recordings that were deleted to make room, once they were shown. */
  forgetEvicted(): void {
    this.#enqueue(async () => {
      await (await this.#writer.store())?.forgetEvicted();
      await this.#reportEvicted();
    });
  }

  exchange(
    task: ExchangeTask,
    progressed: (done: number) => void,
    signal: AbortSignal,
  ): Promise<ExchangeOutcome> {
    return runExchange(task, {
      environment: this.#environment,
      open: (id) => this.open(id),
      store: {
        add: (files) => this.add(files),
        remove: async (ids) => {
          const store = await this.#writer.store();
          for (const id of ids) await store?.remove(id);
          this.refresh();
        },
        find: async ({ name, endpoint, startedAtMs }) => {
          const stored = (await (await this.#writer.store())?.list()) ?? [];
          const same = stored.find(
            (one) => one.name === name && one.endpoint === endpoint && one.startedAtMs === startedAtMs,
          );
          return same?.id ?? null;
        },
      },
      progressed,
      signal,
    });
  }

  /**
   * Stores the recordings of a file, all or none.
   * @returns their ids
   * @throws errors of the entries, or of the store
   */
  async add(files: readonly ImportedRecording[]): Promise<string[]> {
    const added = await this.#writer.keep(files);
    if ('reason' in added) throw new Error(unstoredWords(added));
    return added.ids;
  }

  /** Compares two recordings of one endpoint. @throws Error where one is missing or unreadable */
  async differences(a: string, b: string): Promise<FirstDifferences> {
    const { signal } = new AbortController();
    const yieldToLoop = loopYielder({ environment: this.#environment, progressed: () => {}, signal });
    const outlined = async (id: string): Promise<Outline> => {
      const { info, index, reader } = await this.open(id);
      async function* entries() {
        for (let at = 0; at < index.length; at += 1) {
          await yieldToLoop(0);
          yield await reader.entry(at);
        }
      }
      return outlineOf(info.endpoint, entries());
    };
    const { rows, notes } = differencesOf(await outlined(a), await outlined(b), DEFAULT_TOLERANCE_MS);
    return { rows: rows.slice(0, MAX_DIFFERENCES), notes, of: rows.length };
  }

  /** @throws Error where it is missing or unreadable */
  async open(id: string): Promise<ReadableRecording> {
    const growing = this.#writer.growing(id);
    // A recording that is written is ahead of its stored part.
    if (growing) {
      const { info, index } = growing;
      return { info, index, reader: growing.reader() };
    }
    const store = await this.#writer.store();
    const opened = store && (await openStored(store, id));
    if (!opened) throw new Error(GONE);
    for await (const _ of opened.load());
    return opened;
  }

  async #showStored(id: string, show: number): Promise<void> {
    const store = await this.#writer.store();
    if (show !== this.#shows) return;
    // The recording shown before may have been deleted meanwhile.
    this.#followsLive = false;
    await this.viewer.showStored(id, store);
  }

  #grew(id: string | null): void {
    const isShown = id === this.viewer.shownId;
    if (this.#followsLive && !isShown && id === (this.#writer.live?.info.id ?? null)) {
      this.viewer.showLive(this.#writer.live);
    } else if (isShown) this.viewer.grew();
  }

  async #reportList(): Promise<void> {
    const [stored, space] = await Promise.all([
      this.#writer.store().then((store) => store?.list() ?? []),
      this.#environment.space(),
    ]);
    // A recording that is written is ahead of its stored part, and may not be stored at all.
    const growing = this.#writer.allGrowing.filter(({ index }) => index.length > 0);
    const others = stored.filter(({ id }) => !this.#writer.growing(id));
    const list = [...growing.map(({ info }) => info), ...others];
    list.sort((a, b) => b.startedAtMs - a.startedAtMs);
    this.#report({ list, live: this.#writer.live?.info.id ?? null, space });
  }

  #reportRecorder(): void {
    const { live, memoryReason } = this.#writer;
    const message = memoryReason && MESSAGES[memoryReason];
    this.#report({ recorder: { recording: live?.info.id ?? null, memoryReason, message } });
  }

  async #reportEvicted(): Promise<void> {
    const store = await this.#writer.store();
    if (store) this.#report({ evicted: await store.evicted() });
  }

  #enqueue(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch((error: unknown) => {
      this.#report({ failure: `The browser's database did not do it: ${messageOf(error)}` });
    });
  }
}

const ONLY_IN_MEMORY = `Frames are kept in memory only, the last ${bytes(MEMORY_BYTES)} of them, and are gone when the page is closed.`;

const TOO_LARGE = `A frame is larger than ${bytes(MEMORY_BYTES)}, the most that can be stored.`;

const MESSAGES: Readonly<Record<MemoryReason, string>> = {
  noDatabase: `This browser keeps no data for this page, as in some private windows. ${ONLY_IN_MEMORY}`,
  full: `There is no room left to store recordings. ${ONLY_IN_MEMORY} Delete or unpin older recordings to make room; the next session is stored again.`,
  slow: `The disk cannot keep up with the session. ${ONLY_IN_MEMORY}`,
  tooLarge: `${TOO_LARGE} ${ONLY_IN_MEMORY}`,
  deleted: `This recording was deleted, in another tab. ${ONLY_IN_MEMORY}`,
  failed: `The browser's database has failed. ${ONLY_IN_MEMORY}`,
};

function unstoredWords({ reason, neededBytes, roomBytes }: Unstored): string {
  if (reason !== 'full') return ONLY_WHOLE[reason];
  const left =
    roomBytes === null
      ? 'the browser grants this page no more'
      : `${bytes(roomBytes)} are left for recordings`;
  return `There is no room to store it: it takes at least ${bytes(neededBytes)}, and ${left}. ${MAKE_ROOM}`;
}

const MAKE_ROOM =
  'Delete recordings that you do not need under Frames, Recordings, then open the file again.';

const ONLY_WHOLE: Readonly<Record<Exclude<MemoryReason, 'full'>, string>> = {
  noDatabase: 'This browser keeps no data for this page, as in some private windows.',
  slow: 'The disk cannot keep up.',
  tooLarge: TOO_LARGE,
  deleted: 'It was deleted while it was read.',
  failed: "The browser's database has failed.",
};
