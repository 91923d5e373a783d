import { keepSame } from '#lib/deep-equal.ts';
import { type CallConnection, callWorker, type Remote } from '#lib/worker-calls.ts';
import type { ExchangeOutcome, ExchangeTask } from '#recordings/files/exchange-messages.ts';
import type { RecordingsCalls } from '#recordings/recordings.ts';
import type { RecordingsView, ShownView } from '#recordings/recordings-view.ts';
import type { RowsAnswer } from '#recordings/view/frame-list.ts';
import type { SearchProgress, SearchQuery } from '#recordings/view/search.ts';
import { onceLoaded } from '../browser/idle.ts';
import { LateWorker } from '../browser/late-worker.ts';
import { Listeners } from '../browser/listeners.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { paint } from '../browser/paint.ts';
import { NOTHING_SHOWN, type RecordingsState, useRecordings } from './recordings-store.ts';

const STOPPED =
  'The worker that keeps recordings has stopped, so nothing is recorded any more. Sound is not affected. Reload the page.';

/**
 * The page's end of the recordings worker. Reports go into the store once per animation frame. Queries never reject:
 * they resolve without a result, and the store carries the failure. Rows and payloads are not kept here.
 */
class RecordingsLink {
  #connection: CallConnection<RecordingsCalls> | null = null;
  #hasStopped = false;
  #pending: Partial<RecordingsState> = {};
  #shown: ShownView = NOTHING_SHOWN;
  readonly #showing = new Listeners<[ShownView]>();
  /** Calls the listener at once when another recording is shown, before any answer that belongs to it. */
  readonly onShown = this.#showing.add;
  #search: AbortController | null = null;

  /** Starts the worker, before the session has a target. @returns the port for the session worker */
  start(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#connection = callWorker<RecordingsCalls>(
      () =>
        new LateWorker(
          () => new Worker(new URL('../../recordings/worker.ts', import.meta.url), { type: 'module' }),
          // Loads after the session's worker, which the first turn waits for.
          onceLoaded,
        ),
      STOPPED,
    );
    // Only the end of the worker ends this call.
    this.#connection.calls
      .watch((change) => this.#receive(change))
      .catch(() => {
        this.#hasStopped = true;
        useRecordings.setState({ failure: STOPPED });
      });
    if (!HAS_LOCAL_SERVER) this.order((calls) => calls.leaveReferences());
    this.order(({ attachRecorder }) => attachRecorder(port1));
    paint.add(() => this.#commit());
    // The last event that a page reliably gets before it goes away.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.order(({ flush }) => flush());
    });
    return port2;
  }

  /** The shown recording as of the last report, up to one animation frame ahead of the store. */
  get shown(): ShownView {
    return this.#shown;
  }

  /** Runs a command in the worker. A failure goes into the store. */
  order(command: (calls: Remote<RecordingsCalls>) => Promise<void>): void {
    void this.query(command, undefined);
  }

  /** Resolves with the answer of the worker, or with `without` where the recording cannot be read. */
  async query<Result, Without = null>(
    call: (calls: Remote<RecordingsCalls>) => Promise<Result>,
    without: Without,
  ): Promise<Result | Without> {
    try {
      return await this.#call(call);
    } catch (error) {
      this.#failed(error);
      return without;
    }
  }

  /** Rows `from` to `to` (exclusive), those that exist; null where they cannot be read. */
  async rows(from: number, to: number, withContents: boolean): Promise<RowsAnswer | null> {
    const answer = await this.query(({ rows }) => rows(from, to, withContents), null);
    if (answer?.problem) this.#failed(answer.problem);
    return answer;
  }

  /** The row of each entry; −1 where the filter excludes it. Empty where they cannot be read. */
  locate(indexes: readonly number[]): Promise<Int32Array> {
    return this.query<Int32Array, Int32Array>(({ locate }) => locate(indexes), new Int32Array());
  }

  /** Starts a search in place of another. Its state is in the store; `found` receives the hits. */
  search(query: SearchQuery, found: (indexes: Uint32Array) => void): void {
    this.#search?.abort();
    const own = new AbortController();
    this.#search = own;
    let view = { hits: 0, looked: 0, of: 0, unread: 0 };
    this.#change({ search: { state: 'running', ...view, problem: null } });
    const progressed = ({ hits, looked, of, unread }: SearchProgress): void => {
      view = { hits: view.hits + hits.length, looked, of, unread };
      found(hits);
    };
    this.#call(({ search }) =>
      search(
        query,
        (progress) => {
          if (own !== this.#search) return;
          progressed(progress);
          this.#change({ search: { state: 'running', ...view, problem: null } });
        },
        own.signal,
      ),
    ).then(
      ({ state, progress, problem }) => {
        if (own !== this.#search) return;
        if (progress) progressed(progress);
        this.#change({ search: { state, ...view, problem } });
      },
      (error: Error) => {
        if (own === this.#search)
          this.#change({ search: { state: 'failed', ...view, problem: error.message } });
      },
    );
  }

  cancelSearch(): void {
    this.#search?.abort();
  }

  clearSearch(): void {
    this.#search?.abort();
    this.#search = null;
    this.#change({ search: null });
  }

  /**
   * Returns a port that serves the recording's entries (`EntrySource`), to be moved to the session worker.
   * @param follows to its end, while it grows
   */
  serve(recording: string, follows = false): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.order(({ serveEntries }) => serveEntries(recording, port1, follows));
    return port2;
  }

  /** Exports or imports files. Never rejects: a failure is an outcome. @param progress receives 0 to 1 */
  exchange(
    task: ExchangeTask,
    {
      progress = () => {},
      signal = new AbortController().signal,
    }: { progress?: (done: number) => void; signal?: AbortSignal } = {},
  ): Promise<ExchangeOutcome> {
    return this.#call(({ exchange }) => exchange(task, progress, signal)).catch((error: Error) => ({
      kind: 'failed',
      problem: error.message,
      place: null,
    }));
  }

  #call<Result>(call: (calls: Remote<RecordingsCalls>) => Promise<Result>): Promise<Result> {
    return this.#connection
      ? call(this.#connection.calls)
      : Promise.reject(new Error('No worker was started.'));
  }

  #failed(error: unknown): void {
    if (!this.#connection || this.#hasStopped) return;
    this.#change({
      failure: `The recording cannot be read: ${error instanceof Error ? error.message : error}`,
    });
  }

  #receive({ shown, ...change }: Partial<RecordingsView>): void {
    if (shown) {
      this.#shown = { ...shown, facets: keepSame(shown.facets, this.#shown.facets) };
      this.#showing.call(this.#shown);
    }
    this.#change(shown ? { ...change, shown: this.#shown } : change);
  }

  #change(change: Partial<RecordingsState>): void {
    Object.assign(this.#pending, change);
    paint.request();
  }

  #commit(): boolean {
    const change = this.#pending;
    this.#pending = {};
    if (Object.keys(change).length > 0) useRecordings.setState(change);
    return false;
  }
}

export const recordingsLink = new RecordingsLink();
