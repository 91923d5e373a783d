import { bytes } from '#lib/format.ts';
import { holdMessages } from '#lib/held-messages.ts';
import { messageOf } from '#lib/message-of.ts';
import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { loadProtocolOf } from '#protocol/protocols.ts';
import type { NewEntry } from '#trace/entry.ts';
import { type HeardRecord, laterBy } from '#trace/player-entry.ts';
import { leaveReferences } from '#trace/words/text-search.ts';
import { Clients } from './capture/clients.ts';
import type { Differences } from './difference/differences.ts';
import type { RecordingFacts } from './difference/read-facts.ts';
import { EntrySource } from './entry-source.ts';
import type { RecordingEnvironment } from './environment.ts';
import { runExchange } from './files/exchange.ts';
import type { ExchangeOutcome, ExchangeTask } from './files/exchange-messages.ts';
import type { ReadableRecording } from './files/exporter.ts';
import type { ReportRecordings } from './recordings-view.ts';
import {
  type LiveRecording,
  MEMORY_BYTES,
  type MemoryReason,
  type RecordingStart,
} from './store/live-recording.ts';
import type { ImportedRecording, Unstored } from './store/recording-import.ts';
import { RecordingWriter, type RecordingWriterOptions } from './store/recording-writer.ts';
import { openStored } from './store/stored-recording.ts';
import { GONE, Viewer } from './view/viewer.ts';
import { loopYielder } from './yield-to-loop.ts';

/** From the recorder of a session worker to the recordings worker, over a port of their own. Faults go the other way. */
export type RecorderMessage =
  /** Starts a recording. A recording without entries is not stored. */
  | { type: 'begin'; start: RecordingStart }
  /** Times are microseconds since the last `begin`. `first`: number of the first entry, see `Recorder.lastNumber`. */
  | { type: 'entries'; first: number; entries: readonly NewEntry[] }
  /** Samples heard so far of turns that are not over. Not stored, because their entries follow at the end of the turn. */
  | { type: 'hearing'; turns: readonly { turn: number; soFar: HeardRecord }[] }
  /** Nothing follows. */
  | { type: 'end' };

export interface RecordingsOptions extends Omit<RecordingWriterOptions, 'handlers'> {
  environment: RecordingEnvironment;
}

/** The page's calls. Those about the shown recording and about clients reach their objects without another stop. */
export type RecordingsCalls = Recordings & Viewer & Clients;

/**
 * Stores recordings, and answers the page, which calls the methods over a port (`lib/worker-calls.ts`). One recording is
 * shown at a time. It runs in its own worker, because a filter over a whole recording takes some milliseconds.
 */
export class Recordings {
  readonly #environment: RecordingEnvironment;
  #report: ReportRecordings = () => {};
  readonly #writer: RecordingWriter;
  /** The recording that is shown. */
  readonly viewer: Viewer;
  /** The other clients of the page's server. */
  readonly clients: Clients;
  #recorder: CallPort | null = null;
  /** Of the session's recordings from now on. */
  #start: RecordingStart | null = null;
  /** The recording of the page's own session; null before the first entry. */
  #live: LiveRecording | null = null;
  /** Of connections that the next recording of the session continues. */
  #openings: readonly NewEntry[] = [];
  /** Of turns that are being heard, by turn. */
  readonly #hearing = new Map<number, HeardRecord>();
  #reportedState = '';
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
      heardSoFar: (turn) => this.#heardSoFar(turn),
    });
    this.#writer = new RecordingWriter({
      environment,
      handlers: {
        memoryChanged: () => this.#reportRecorder(),
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
      injected: (fault) => this.#recorder?.postMessage(fault, []),
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

  /** The host of the page speaks no references, so that words without times are estimated. */
  leaveReferences(): void {
    leaveReferences();
  }

  /** Receives from the session worker's port, and reports faults to it. */
  attachRecorder(port: CallPort): void {
    this.#recorder = port;
    port.onmessage = ({ data }: MessageEvent<RecorderMessage>) => this.#take(data);
    // The page reads the rows of a session at any time, also once its server has gone.
    holdMessages<MessageEvent<RecorderMessage>>(
      port,
      ({ data }) => (data.type === 'begin' ? loadProtocolOf(data.start.endpoint) : null),
      (error) => this.#report({ failure: `Nothing is recorded: ${messageOf(error)} Reload the page.` }),
    );
  }

  /**
   * Counts the findings in the sound of a session that is not stored, until its recorder ends.
   * @param port of the recorder; it is closed
   * @param abandoned the session may be gone without an end
   */
  async countSoundFindings(endpoint: string, port: MessagePort, abandoned: AbortSignal): Promise<number> {
    const check = await this.#environment.openSoundCheck(endpoint).catch((error: unknown) => {
      port.close();
      throw error;
    });
    let count = 0;
    let last = Promise.resolve();
    await new Promise<void>((resolve) => {
      if (abandoned.aborted) resolve();
      abandoned.addEventListener('abort', () => resolve());
      port.onmessage = ({ data }: MessageEvent<RecorderMessage>) => {
        if (data.type === 'end') resolve();
        if (data.type !== 'entries') return;
        last = last.then(async () => {
          for (const [at, entry] of data.entries.entries())
            count += (await check.take(entry, data.first + at)).length;
        });
      };
    });
    port.close();
    await last;
    return count + (await check.end()).length;
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
    this.#followsLive = id === null || id === this.#live?.info.id;
    const beside = id !== null && this.#writer.growing(id);
    if (id === null || this.#followsLive) this.viewer.showLive(this.#live, null);
    else if (beside) this.viewer.showLive(beside, this.clients.tailOf(id));
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
      // The next entry of the session begins another recording.
      if (id === this.#live?.info.id) {
        this.#openings = this.#live.openings;
        this.#live = null;
      }
      if (this.#writer.growing(id)) await this.#writer.discard(id);
      else await (await this.#writer.store())?.remove(id);
      if (isShown) {
        this.#followsLive = true;
        this.viewer.showLive(this.#live, null);
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
  async differences(a: string, b: string): Promise<Differences> {
    const { DEFAULT_TOLERANCE_MS, differencesOf } = await import('./difference/differences.ts');
    return differencesOf(await this.#factsOf(a), await this.#factsOf(b), DEFAULT_TOLERANCE_MS);
  }

  async #factsOf(id: string): Promise<RecordingFacts> {
    const { info, index, reader } = await this.open(id);
    const { signal } = new AbortController();
    const yieldToLoop = loopYielder({ environment: this.#environment, progressed: () => {}, signal });
    async function* entries() {
      for (let at = 0; at < index.length; at += 1) {
        await yieldToLoop(0);
        yield await reader.entry(at);
      }
    }
    const { factsOf } = await import('./difference/read-facts.ts');
    return factsOf(info.endpoint, entries());
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
    await loadProtocolOf(opened.info.endpoint);
    for await (const _ of opened.load());
    return opened;
  }

  #take(message: RecorderMessage): void {
    if (message.type === 'hearing') {
      this.#hearing.clear();
      for (const { turn, soFar } of message.turns) this.#hearing.set(turn, soFar);
    } else if (message.type !== 'entries') {
      this.#hearing.clear();
      this.#endLive();
      this.#openings = [];
      this.#start = message.type === 'begin' ? message.start : null;
    } else {
      message.entries.forEach((entry, at) => {
        this.#append(entry, message.first + at);
      });
      this.#reportRecorder();
      this.#grew(this.#live?.info.id ?? null);
      this.#writer.flushLater();
    }
  }

  /** @param number the entry's among all of the session */
  #append(entry: NewEntry, number: number): void {
    const start = this.#start;
    if (!start) return;
    const openings = this.#openings;
    const { atUs } = entry;
    this.#live = this.#live
      ? this.#writer.withRoom(this.#live, atUs, number)
      : this.#writer.begin(start, { firstNumber: number, fromUs: atUs, openings });
    this.#live.append(entry);
  }

  #endLive(): void {
    if (this.#live) this.#writer.end(this.#live.info.id);
    this.#live = null;
  }

  /** Returns the samples heard so far of a live turn that goes on; null for any other turn. */
  #heardSoFar(turn: number): HeardRecord | null {
    const soFar = this.#hearing.get(turn);
    return soFar ? laterBy(soFar, -(this.#live?.fromUs ?? 0)) : null;
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
    if (this.#followsLive && !isShown && id === (this.#live?.info.id ?? null)) {
      this.viewer.showLive(this.#live, null);
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
    this.#report({ list, live: this.#live?.info.id ?? null, space });
  }

  #reportRecorder(): void {
    const recording = this.#live?.info.id ?? null;
    const memoryReason = this.#live?.memoryReason ?? (this.#writer.hasNoStore ? 'noDatabase' : null);
    const state = `${recording} ${memoryReason}`;
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    const message = memoryReason && MESSAGES[memoryReason];
    this.#report({ recorder: { recording, memoryReason, message } });
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
