import { keepSame } from '#lib/deep-equal.ts';
import type { ExchangeOutcome, ExchangeTask } from '#recordings/files/exchange-messages.ts';
import type { FindingsAsked, RecordingCommand, RecordingReport, ShownView } from '#recordings/messages.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import type { Became } from '#recordings/view/became.ts';
import type { FindingsAnswer } from '#recordings/view/check-view.ts';
import type { Envelope } from '#recordings/view/envelope.ts';
import type { EnvelopePlace } from '#recordings/view/envelopes.ts';
import type { Filter } from '#recordings/view/filter.ts';
import type { ListOptions } from '#recordings/view/frame-list.ts';
import type { SearchQuery } from '#recordings/view/search.ts';
import { paint } from '../browser/paint.ts';
import { NOTHING_SHOWN, type RecordingsState, useRecordings } from './recordings-store.ts';

type Report<T extends RecordingReport['type']> = Extract<RecordingReport, { type: T }>;

/** What comes back for a question, with the question's number. */
type Answer = Exclude<Extract<RecordingReport, { request: number }>, { type: 'exchanging' | 'exchanged' }>;

const STOPPED =
  'The worker that keeps recordings has stopped, so nothing is recorded any more. Sound is not affected. Reload the page.';

/**
 * The page's end of the recordings: questions go to their worker, answers come back as promises, and what it tells
 * unasked goes into the store once a frame. Rows and payloads are passed on to whoever asked, and kept nowhere here.
 */
class RecordingsLink {
  #worker: Worker | null = null;
  #lastNumber = 0;
  readonly #questions = new Map<number, (answer: Answer) => void>();
  readonly #exchanges = new Map<
    number,
    { progress: ((done: number) => void) | undefined; resolve: (outcome: ExchangeOutcome) => void }
  >();
  #pending: Partial<RecordingsState> = {};
  #shown: ShownView = NOTHING_SHOWN;
  readonly #shownListeners = new Set<(shown: ShownView) => void>();
  #search: { id: number; hits: (indexes: Uint32Array) => void; count: number } | null = null;

  /**
   * Starts the worker. Called once, before the session has a target.
   * @returns the port over which the session worker tells what happens, to be moved there
   */
  start(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL('../../recordings/worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<RecordingReport>) => this.#receive(data);
    worker.onerror = () => this.#stopped();
    this.#worker = worker;
    this.#post({ type: 'attachFeed', port: port1 }, [port1]);
    paint.add(() => this.#takeIn());
    // The last moment at which a page can be sure to be asked.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') this.#post({ type: 'flush' });
    });
    return port2;
  }

  /** What is shown, as of the last message: ahead of the store by up to a frame. */
  get shown(): ShownView {
    return this.#shown;
  }

  /** Tells at once what is shown from now on, before any answer that belongs to it. */
  onShown(listener: (shown: ShownView) => void): () => void {
    this.#shownListeners.add(listener);
    return () => {
      this.#shownListeners.delete(listener);
    };
  }

  /** Asks for the list of recordings, which comes into the store. */
  refresh(): void {
    this.#post({ type: 'recordings' });
  }

  /** Shows a recording; null: the one that goes on. */
  show(recording: string | null): void {
    this.#post({ type: 'show', recording });
  }

  list(options: ListOptions): void {
    this.#post({ type: 'list', options });
  }

  openRun(first: number, isOpen: boolean): void {
    this.#post({ type: 'openRun', first, isOpen });
  }

  /** Rows `from` to `to` (exclusive), as far as they are there; null where they cannot be read. */
  async rows(from: number, to: number): Promise<Pick<Report<'rows'>, 'layout' | 'rows'> | null> {
    const answer = await this.#ask((request) => ({ type: 'rows', request, from, to }));
    return answer.type === 'rows' ? answer : null;
  }

  /** Entries with their payloads, those that are there; null where they cannot be read. */
  async entries(indexes: readonly number[]): Promise<readonly ShownEntry[] | null> {
    const answer = await this.#ask((request) => ({ type: 'entries', request, indexes }));
    return answer.type === 'entries' ? answer.entries : null;
  }

  /** The row of each entry; −1 where the filter leaves it out. None at all where they cannot be read. */
  async locate(indexes: readonly number[]): Promise<Int32Array> {
    const answer = await this.#ask((request) => ({ type: 'locate', request, indexes }));
    return answer.type === 'located' ? answer.rows : new Int32Array();
  }

  /** Entries that pass a filter, whatever the list's is; none where they cannot be read. */
  async find(filter: Filter): Promise<Uint32Array> {
    const answer = await this.#ask((request) => ({ type: 'find', request, filter }));
    return answer.type === 'found' ? answer.indexes : new Uint32Array();
  }

  /** What became of the samples in an audio entry; null where it is no audio, of no turn, or cannot be read. */
  async became(index: number): Promise<Became | null> {
    const answer = await this.#ask((request) => ({ type: 'became', request, index }));
    return answer.type === 'became' ? answer.became : null;
  }

  /** The entry that carries a sample of a turn; null where what is shown has none, or cannot be read. */
  async frameAt(turn: number, sample: number): Promise<number | null> {
    const answer = await this.#ask((request) => ({ type: 'frameAt', request, turn, sample }));
    return answer.type === 'frameAt' ? answer.index : null;
  }

  /** The tiny waveforms of rows, in that order; null where they cannot be read. */
  async envelopes(places: readonly EnvelopePlace[]): Promise<readonly (Envelope | null)[] | null> {
    const answer = await this.#ask((request) => ({ type: 'envelopes', request, places }));
    return answer.type === 'envelopes' ? answer.envelopes : null;
  }

  /** Begins a search, and ends the one that goes on. How it stands is in the store; `hits` takes what is found. */
  search(query: SearchQuery, hits: (indexes: Uint32Array) => void): void {
    const id = this.#number();
    this.#search = { id, hits, count: 0 };
    this.#tell({
      search: { id, state: 'running', hits: 0, looked: 0, of: 0, unread: 0, problem: null },
    });
    this.#post({ type: 'search', search: id, query });
  }

  cancelSearch(): void {
    this.#post({ type: 'cancelSearch' });
  }

  /** Ends the search and forgets what it found. */
  clearSearch(): void {
    this.#search = null;
    this.#post({ type: 'cancelSearch' });
    this.#tell({ search: null });
  }

  rename(recording: string, name: string): void {
    this.#post({ type: 'rename', recording, name });
  }

  pin(recording: string, pinned: boolean): void {
    this.#post({ type: 'pin', recording, pinned });
  }

  delete(recording: string): void {
    this.#post({ type: 'delete', recording });
  }

  /** What the rules have found in what is shown, as far as it is kept. */
  async findings(of: FindingsAsked): Promise<FindingsAnswer> {
    const answer = await this.#ask((request) => ({ type: 'findings', request, of }));
    return answer.type === 'findings' ? answer.answer : { findings: [], of: 0 };
  }

  /** The nearest entry with a finding behind this one (`step` 1) or before it; −1 where there is none. */
  async nextFinding(from: number, step: 1 | -1, withAdvice: boolean): Promise<number> {
    const answer = await this.#ask((request) => ({ type: 'nextFinding', request, from, step, withAdvice }));
    return answer.type === 'nextFinding' ? answer.index : -1;
  }

  /** A port that gives the recording's entries to whoever asks over it, to be moved there. */
  serve(recording: string): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#post({ type: 'serve', recording, port: port1 }, [port1]);
    return port2;
  }

  /**
   * Files: out of recordings, and recordings out of files. It ends with an outcome, whatever happens.
   * @param progress told now and then how much is done, from 0 to 1
   */
  exchange(
    task: ExchangeTask,
    { progress, signal }: { progress?: (done: number) => void; signal?: AbortSignal } = {},
  ): Promise<ExchangeOutcome> {
    return new Promise((resolve) => {
      const request = this.#number();
      const cancel = () => this.#post({ type: 'cancelExchange', request });
      this.#exchanges.set(request, {
        progress,
        resolve: (outcome) => {
          signal?.removeEventListener('abort', cancel);
          resolve(outcome);
        },
      });
      this.#post({ type: 'exchange', request, task });
      signal?.addEventListener('abort', cancel);
    });
  }

  #number(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** The question's answer, or `unanswered` where an error came between, which is told in the store. It never rejects. */
  #ask(question: (request: number) => RecordingCommand): Promise<Answer> {
    const request = this.#number();
    return new Promise((resolve) => {
      this.#questions.set(request, resolve);
      this.#post(question(request));
    });
  }

  #post(command: RecordingCommand, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(command, transfer);
  }

  /** Nobody waits for what will not come any more. */
  #stopped(): void {
    useRecordings.setState({ failure: STOPPED });
    for (const [request, resolve] of this.#questions) resolve({ type: 'unanswered', request });
    this.#questions.clear();
    for (const { resolve } of this.#exchanges.values()) {
      resolve({ kind: 'failed', problem: STOPPED, place: null });
    }
    this.#exchanges.clear();
  }

  #receive(report: RecordingReport): void {
    switch (report.type) {
      case 'recorder':
        this.#tell({ recorder: report.recorder });
        break;
      case 'recordings':
        this.#tell({ list: report.recordings, live: report.live, space: report.space });
        break;
      case 'shown':
        this.#shown = { ...report.shown, facets: keepSame(report.shown.facets, this.#shown.facets) };
        for (const listener of this.#shownListeners) listener(this.#shown);
        this.#tell({ shown: this.#shown });
        break;
      case 'checked':
        this.#tell({ check: report.check });
        break;
      case 'searched':
        this.#searched(report);
        break;
      case 'failed':
        this.#tell({ failure: report.message });
        break;
      case 'exchanging':
        this.#exchanges.get(report.request)?.progress?.(report.done);
        break;
      case 'exchanged':
        this.#exchanges.get(report.request)?.resolve(report.outcome);
        this.#exchanges.delete(report.request);
        break;
      default:
        this.#questions.get(report.request)?.(report);
        this.#questions.delete(report.request);
    }
  }

  #searched({ search: id, state, progress, problem }: Report<'searched'>): void {
    const search = this.#search;
    if (search?.id !== id) return;
    if (progress) {
      search.count += progress.hits.length;
      search.hits(progress.hits);
    }
    const before = this.#pending.search ?? useRecordings.getState().search;
    const { looked = 0, of = 0, unread = 0 } = progress ?? before ?? {};
    this.#tell({ search: { id, state, hits: search.count, looked, of, unread, problem } });
  }

  #tell(change: Partial<RecordingsState>): void {
    Object.assign(this.#pending, change);
    paint.request();
  }

  #takeIn(): boolean {
    const change = this.#pending;
    this.#pending = {};
    if (Object.keys(change).length > 0) useRecordings.setState(change);
    return false;
  }
}

/** The recordings of the page. */
export const recordingsLink = new RecordingsLink();
