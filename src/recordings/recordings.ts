import type { RecordingEnvironment } from './environment.ts';
import { Exchange } from './files/exchange.ts';
import type { ReadableRecording } from './files/exporter.ts';
import type { HeardRecord } from './format/player-entry.ts';
import type { FeedMessage, RecordingCommand, RecordingReport, SearchState } from './messages.ts';
import { Keeper, type KeeperOptions, type NewEntry } from './store/keeper.ts';
import type { MemoryReason, RecordingStart } from './store/live-recording.ts';
import { type BlockSource, PayloadReader, type ShownEntry } from './store/payload-reader.ts';
import { openStored } from './store/stored-recording.ts';
import { matcherOf, type Searcher, type SearchProgress, type SearchQuery, search } from './view/search.ts';
import { GONE, Viewer } from './view/viewer.ts';

export interface RecordingsOptions extends Omit<KeeperOptions, 'handlers'> {
  environment: RecordingEnvironment;
  report: (report: RecordingReport) => void;
}

/**
 * Everything that is recorded and was recorded: takes what the session tells, keeps it, and answers what the page asks.
 * It lives in a worker of its own, because a filter or a search over a million entries takes tens of milliseconds at a
 * time, and the session worker has audio to decode meanwhile.
 */
export class Recordings {
  readonly #environment: RecordingEnvironment;
  readonly #report: (report: RecordingReport) => void;
  readonly #keeper: Keeper;
  readonly #viewer: Viewer;
  readonly #exchange: Exchange;
  /** The page wants to see what is being recorded, whichever that is. */
  #followsLive = true;
  /** How often the page has asked for one to be shown; only what it asked for last is. */
  #shows = 0;
  /** Of turns that are being heard, by turn. */
  readonly #hearing = new Map<number, HeardRecord>();
  #search: { id: number; abort: AbortController } | null = null;
  readonly #blocks: BlockSource = {
    block: async (...place) => (await this.#keeper.store())?.block(...place),
  };
  /** Commands that wait for the database are done in their order. */
  #last: Promise<void> = Promise.resolve();

  constructor({ environment, report, ...limits }: RecordingsOptions) {
    this.#environment = environment;
    this.#report = report;
    this.#viewer = new Viewer(environment, {
      shown: (shown) => report({ type: 'shown', shown }),
      checked: (check) => report({ type: 'checked', check }),
      failed: (message) => report({ type: 'failed', message }),
    });
    this.#keeper = new Keeper({
      environment,
      handlers: {
        grew: () => this.#grew(),
        stateChanged: () => this.#tellState(),
        listChanged: () => this.#enqueue(() => this.#tellRecordings()),
      },
      ...limits,
    });
    this.#exchange = new Exchange({
      environment,
      report,
      open: (id) => this.open(id),
      store: {
        add: (...recording) => this.add(...recording),
        remove: async (id) => (await this.#keeper.store())?.remove(id),
        find: async ({ name, endpoint, startedAtMs }) => {
          const stored = (await (await this.#keeper.store())?.list()) ?? [];
          const same = stored.find(
            (one) => one.name === name && one.endpoint === endpoint && one.startedAtMs === startedAtMs,
          );
          return same?.id ?? null;
        },
      },
    });
  }

  /** From the session worker. */
  take(message: FeedMessage): void {
    switch (message.type) {
      case 'begin':
        this.#hearing.clear();
        this.#keeper.begin(message.start);
        break;
      case 'entries':
        this.#keeper.append(message.entries, message.first);
        break;
      case 'hearing':
        this.#hearing.clear();
        for (const { turn, soFar } of message.turns) this.#hearing.set(turn, soFar);
        break;
    }
  }

  /** From the page. Ports are attached outside of here. */
  handle(command: Exclude<RecordingCommand, { port: MessagePort }>): void {
    switch (command.type) {
      case 'recordings':
        this.#enqueue(() => this.#tellRecordings());
        break;
      case 'show':
        this.#show(command.recording);
        break;
      case 'list':
        this.#viewer.list(command.options);
        break;
      case 'openRun':
        this.#viewer.openRun(command.first, command.isOpen);
        break;
      case 'rows': {
        const { request, from, to } = command;
        const { layout } = this.#viewer;
        this.#answer(request, () => ({ type: 'rows', request, layout, rows: this.#viewer.rows(from, to) }));
        break;
      }
      case 'entries': {
        const { request, indexes } = command;
        const entries = () => this.#viewer.entries(indexes);
        this.#answer(request, async () => ({ type: 'entries', request, entries: await entries() }));
        break;
      }
      case 'locate': {
        const { request, indexes } = command;
        const { layout } = this.#viewer;
        const rows = () => this.#viewer.locate(indexes);
        this.#answer(request, () => ({ type: 'located', request, layout, rows: rows() }));
        break;
      }
      case 'find': {
        const { request, filter } = command;
        this.#answer(request, () => ({ type: 'found', request, indexes: this.#viewer.find(filter) }));
        break;
      }
      case 'became': {
        const { request, index } = command;
        const became = () => this.#viewer.became(index, this.#hearing, this.#keeper.offsetUs);
        this.#answer(request, async () => ({ type: 'became', request, became: await became() }));
        break;
      }
      case 'frameAt': {
        const { request, turn, sample } = command;
        const index = () => this.#viewer.frameAt(turn, sample);
        this.#answer(request, async () => ({ type: 'frameAt', request, index: await index() }));
        break;
      }
      case 'envelopes': {
        const { request, places } = command;
        const envelopes = () => this.#viewer.envelopes(places);
        this.#answer(request, async () => ({ type: 'envelopes', request, envelopes: await envelopes() }));
        break;
      }
      case 'search':
        void this.#lookFor(command.search, command.query);
        break;
      case 'cancelSearch':
        this.#cancelSearch();
        break;
      case 'flush':
        this.#enqueue(() => this.#keeper.flush());
        break;
      case 'findings': {
        const { request, of } = command;
        this.#answer(request, () => ({ type: 'findings', request, answer: this.#viewer.findings(of) }));
        break;
      }
      case 'nextFinding': {
        const { request, from, step, withAdvice } = command;
        const index = () => this.#viewer.index?.nextFinding(from, step, withAdvice) ?? -1;
        this.#answer(request, () => ({ type: 'nextFinding', request, index: index() }));
        break;
      }
      case 'rename':
        this.#enqueue(() => this.#change(command.recording, { name: command.name }));
        break;
      case 'pin':
        this.#enqueue(() => this.#change(command.recording, { pinned: command.pinned }));
        break;
      case 'delete':
        this.#enqueue(() => this.#delete(command.recording));
        break;
      case 'exchange':
      case 'cancelExchange':
        this.#exchange.handle(command);
        break;
    }
  }

  /**
   * Every entry of a recording, for a file of it.
   * @throws Error where it is not there, or cannot be read
   */
  async *read(id: string): AsyncGenerator<ShownEntry, void, undefined> {
    const { index, reader } = await this.open(id);
    const { length } = index;
    for (let at = 0; at < length; at += 1) yield await reader.entry(at);
  }

  /**
   * Stores a recording that comes from elsewhere, whole or not at all.
   * @returns its id
   * @throws what the entries throw, or an Error that says why it could not be stored
   */
  async add(start: RecordingStart, name: string, entries: AsyncIterable<NewEntry>): Promise<string> {
    const added = await this.#keeper.keep(start, name, entries);
    if ('reason' in added) throw new Error(ONLY_WHOLE[added.reason]);
    return added.id;
  }

  /** @throws Error where it is not there, or cannot be read */
  async open(id: string): Promise<ReadableRecording> {
    const { live } = this.#keeper;
    // What is being recorded is ahead of what is stored of it.
    if (live?.info.id === id) {
      const { info, index, blocks } = live;
      const reader = new PayloadReader({
        id,
        index,
        source: this.#blocks,
        starts: blocks.starts,
        live: blocks,
      });
      return { info, index, reader };
    }
    const store = await this.#keeper.store();
    const opened = store && (await openStored(store, id));
    if (!opened) throw new Error(GONE);
    for await (const _ of opened.load());
    return opened;
  }

  #grew(): void {
    const { live } = this.#keeper;
    if (!this.#followsLive) return;
    if (live && live.info.id !== this.#viewer.shownId) this.#showLive();
    else this.#viewer.grew();
  }

  #show(id: string | null): void {
    this.#cancelSearch();
    this.#shows += 1;
    const show = this.#shows;
    this.#followsLive = id === null || id === this.#keeper.live?.info.id;
    if (this.#followsLive) this.#showLive();
    else if (id !== null) {
      // What is being opened is not waited for.
      this.#viewer.stopLoading();
      this.#enqueue(() => this.#showStored(id, show));
    }
  }

  async #showStored(id: string, show: number): Promise<void> {
    const store = await this.#keeper.store();
    if (show !== this.#shows) return;
    // What was shown may have been deleted meanwhile.
    this.#followsLive = false;
    await this.#viewer.showStored(id, store);
  }

  #showLive(): void {
    this.#cancelSearch();
    this.#viewer.showLive(this.#keeper.live, this.#blocks);
  }

  async #lookFor(id: number, query: SearchQuery): Promise<void> {
    this.#cancelSearch();
    const matcher = matcherOf(query);
    if (typeof matcher === 'object') {
      this.#tellSearch(id, 'refused', null, matcher.problem);
      return;
    }
    const { index, reader } = this.#viewer;
    if (!index || !reader) {
      this.#tellSearch(id, 'done', NOTHING_TO_SEARCH);
      return;
    }
    const abort = new AbortController();
    this.#search = { id, abort };
    let last: SearchProgress | null = null;
    let problem: string | null;
    let searcher: Searcher | null = null;
    try {
      const opened = this.#environment.openSearcher(query);
      searcher = opened;
      abort.signal.addEventListener('abort', () => opened.end());
      problem = await search({
        query,
        searcher,
        index,
        reader,
        nowMs: () => this.#environment.nowMs(),
        after: (delayMs, task) => this.#environment.after(delayMs, task),
        report: (progress, isLast) => {
          // The last one is told with the end.
          if (isLast) last = progress;
          else this.#tellSearch(id, 'running', progress);
        },
        signal: abort.signal,
      });
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    if (abort.signal.aborted) return;
    this.#search = null;
    searcher?.end();
    this.#tellSearch(id, problem === null ? 'done' : 'failed', last, problem);
  }

  #cancelSearch(): void {
    if (!this.#search) return;
    const { id, abort } = this.#search;
    this.#search = null;
    abort.abort();
    this.#tellSearch(id, 'cancelled', null);
  }

  #tellSearch(
    id: number,
    state: SearchState,
    progress: SearchProgress | null,
    problem: string | null = null,
  ): void {
    this.#report({ type: 'searched', search: id, state, progress, problem });
  }

  async #change(id: string, change: { name: string } | { pinned: boolean }): Promise<void> {
    const { live } = this.#keeper;
    if (live?.info.id === id) Object.assign(live, change);
    const isStored = await (await this.#keeper.store())?.change(id, change);
    if (!isStored && live?.info.id !== id) this.#report({ type: 'failed', message: GONE });
    this.#viewer.changed(id, change);
    await this.#tellRecordings();
  }

  async #delete(id: string): Promise<void> {
    const { live } = this.#keeper;
    const isShown = this.#viewer.shownId === id;
    if (isShown) this.#cancelSearch();
    if (live?.info.id === id) await this.#keeper.discard();
    else await (await this.#keeper.store())?.remove(id);
    if (isShown) {
      this.#followsLive = true;
      this.#showLive();
    }
    await this.#tellRecordings();
  }

  async #tellRecordings(): Promise<void> {
    const [stored, space] = await Promise.all([
      this.#keeper.store().then((store) => store?.list() ?? []),
      this.#environment.space(),
    ]);
    const live = this.#keeper.live?.info ?? null;
    // What is being recorded is ahead of what is stored of it, and may not be stored at all.
    const others = stored.filter(({ id }) => id !== live?.id);
    const recordings = live ? [live, ...others] : others;
    this.#report({ type: 'recordings', recordings, live: live?.id ?? null, space });
  }

  #tellState(): void {
    const { live, memoryReason } = this.#keeper;
    this.#report({
      type: 'recorder',
      recorder: {
        recording: live?.info.id ?? null,
        memoryReason,
        message: memoryReason && MESSAGES[memoryReason],
      },
    });
  }

  /** Whoever asked waits, so there is an answer whatever happens. */
  #answer(request: number, answer: () => RecordingReport | Promise<RecordingReport>): void {
    const fail = (error: unknown): void => {
      this.#report({
        type: 'failed',
        message: `The recording cannot be read: ${error instanceof Error ? error.message : error}`,
      });
      this.#report({ type: 'unanswered', request });
    };
    try {
      const answered = answer();
      if (answered instanceof Promise) answered.then(this.#report, fail);
      else this.#report(answered);
    } catch (error) {
      fail(error);
    }
  }

  #enqueue(task: () => Promise<void>): void {
    this.#last = this.#last.then(task).catch((error: unknown) =>
      this.#report({
        type: 'failed',
        message: `The browser's database did not do it: ${error instanceof Error ? error.message : error}`,
      }),
    );
  }
}

const NOTHING_TO_SEARCH: SearchProgress = { hits: new Uint32Array(), looked: 0, of: 0, unread: 0 };

const ONLY_IN_MEMORY =
  'Frames are kept in memory only, the last 64 MB of them, and are gone when the page is closed.';

const MESSAGES: Readonly<Record<MemoryReason, string>> = {
  noDatabase: `This browser keeps no data for this page, as in some private windows. ${ONLY_IN_MEMORY}`,
  full: `There is no room left to store recordings. ${ONLY_IN_MEMORY} Delete or unpin older recordings to make room; the next session is stored again.`,
  slow: `The disk cannot keep up with the session. ${ONLY_IN_MEMORY}`,
  deleted: `This recording was deleted, in another tab. ${ONLY_IN_MEMORY}`,
  failed: `The browser's database has failed. ${ONLY_IN_MEMORY}`,
};

const ONLY_WHOLE: Readonly<Record<MemoryReason, string>> = {
  noDatabase: 'This browser keeps no data for this page, as in some private windows.',
  full: 'There is no room left to store it. Delete or unpin older recordings.',
  slow: 'The disk cannot keep up.',
  deleted: 'It was deleted while it was read.',
  failed: "The browser's database has failed.",
};
