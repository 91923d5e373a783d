import { messageOf } from '#lib/message-of.ts';
import { loadProtocolOf } from '#protocol/protocols.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { HeardRecord } from '#trace/player-entry.ts';
import type { RecordedTurn } from '#trace/recorded-speech.ts';
import type { RecordingEnvironment } from '../environment.ts';
import type { FindingsAsked, ReportRecordings } from '../recordings-view.ts';
import type { StoredRecording } from '../store/database.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { LiveRecording } from '../store/live-recording.ts';
import type { PayloadReader, ShownEntry } from '../store/payload-reader.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { openStored } from '../store/stored-recording.ts';
import type { Tail } from '../store/tail.ts';
import { type FindingsAnswer, NOTHING_CHECKED } from './check-view.ts';
import { Checker } from './checker.ts';
import { addMatches, type Filter } from './filter.ts';
import {
  FrameList,
  type ListOptions,
  type ListRow,
  NO_CONTENT,
  type RowContent,
  RowContents,
  type RowsAnswer,
} from './frame-list.ts';
import { type FrameOutcome, frameOutcomeOf } from './frame-outcome.ts';
import { type FrameAudio, FrameReader } from './frame-reader.ts';
import { GrowingTurn } from './growing-turn.ts';
import { type SearchEnd, type SearchProgress, type SearchQuery, search } from './search.ts';

export const GONE = 'The recording is not there any more.';

/** Minimum interval between two reports of a growing list. */
const REPORT_EVERY_MS = 100;
/** After a row request, the linter gives way to further requests for this long. */
const BUSY_MS = 150;
/** Minimum interval between two layouts of a list of problems, which is slow. */
const LAY_OUT_EVERY_MS = 500;

/** Entries before the first answer: usually a view full of rows. */
const LAID_OUT_FIRST = 1 << 13;
/** Entries that take a few milliseconds to filter and fold. */
const LAID_OUT_AT_ONCE = 1 << 15;

/** Entries of the live session arrive in batches, at most this late. */
const MAX_DELAY_MS = 500;

/** Contents of rows are read for so long, then other calls get their turn. Known contents take no time. */
const CONTENTS_MS = 10;

interface Source {
  info(): StoredRecording;
  index: FrameIndex;
  reader: PayloadReader;
  decoder: FrameReader;
  /** Of another recording that is written; null for the live one and for one from the store. */
  tail: Tail | null;
  /** See {@link LiveRecording.firstNumber}; null for any other recording than the live one. */
  firstNumber: number | null;
}

const isOfSession = ({ firstNumber }: Source): boolean => firstNumber !== null;
const isGrowing = (source: Source): boolean => isOfSession(source) || source.tail?.isOver === false;

export interface ViewerOptions {
  environment: RecordingEnvironment;
  report: ReportRecordings;
  /** Returns the samples heard so far of a live turn that goes on; null for any other turn. */
  heardSoFar: (turn: number) => HeardRecord | null;
}

/** The shown recording as a list: the live one, one of another client, or one from the store. */
export class Viewer {
  readonly #environment: RecordingEnvironment;
  readonly #report: ReportRecordings;
  readonly #heardSoFar: ViewerOptions['heardSoFar'];
  #options: ListOptions = { filter: {}, fold: true };
  #source: Source | null = null;
  #list: FrameList | null = null;
  #layout = 0;
  #contents: RowContents | null = null;
  /** Of the last requested turn. */
  #growing: GrowingTurn | null = null;
  /** Cancels loading a recording that is no longer shown. */
  #loading = new AbortController();
  #search = new AbortController();
  #isReporting = false;
  #checker: Checker | null = null;
  /** Contents of the next report. */
  #hasGrown = false;
  #hasProgressed = false;
  #hasFound = false;
  #reportedFound = 0;
  #laidOutMs = Number.NEGATIVE_INFINITY;
  #requestedMs = Number.NEGATIVE_INFINITY;

  constructor({ environment, report, heardSoFar }: ViewerOptions) {
    this.#environment = environment;
    this.#report = report;
    this.#heardSoFar = heardSoFar;
  }

  get shownId(): string | null {
    return this.#source?.info().id ?? null;
  }

  /** Shows the live recording, null before its first entry, or one beside it. @param tail of one beside it */
  showLive(live: LiveRecording | null, tail: Tail | null): void {
    this.#begin(
      live && {
        info: () => live.info,
        index: live.index,
        reader: live.reader(),
        tail,
        firstNumber: live.firstNumber,
      },
    );
  }

  /** Shows a recording from the store, with rows from the first piece of its index on. */
  async showStored(id: string, store: RecordingStore | null): Promise<void> {
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    try {
      const opened = store && (await openStored(store, id));
      if (loading.signal.aborted) return;
      if (!opened) {
        this.#report({ failure: GONE });
        return;
      }
      await loadProtocolOf(opened.info.endpoint);
      if (loading.signal.aborted) return;
      const { index, reader } = opened;
      const info = () => opened.info;
      this.#begin({ info, index, reader, tail: null, firstNumber: null }, loading);
      for await (const _ of opened.load()) {
        if (loading.signal.aborted) return;
        this.#list?.update();
        this.#reportShown();
        this.#checker?.update();
      }
      this.#checker?.complete();
    } catch (error) {
      if (loading.signal.aborted) return;
      this.#report({ failure: `The recording cannot be read: ${messageOf(error)}` });
    }
  }

  /** Stops loading and searching, because another recording is going to be shown. */
  leave(): void {
    this.#loading.abort();
    this.#search.abort();
  }

  /** Sets which entries are listed, and how, for this recording and all shown later. */
  list(options: ListOptions): void {
    this.#options = options;
    this.#requestedMs = this.#environment.nowMs();
    this.#layOut();
  }

  /** Opens or closes the run of audio that begins with this entry. */
  openRun(first: number, isOpen: boolean): void {
    this.#list?.setOpen(first, isOpen);
    this.#layout += 1;
    this.#reportShown();
  }

  /** More is known of the shown recording, or it has ended. */
  grew(): void {
    if (!this.#source) return;
    this.#checker?.update();
    this.#hasGrown = true;
    this.#reportSoon();
  }

  /** Applies a new name or pin to the shown recording. */
  changed(id: string, change: { name: string } | { pinned: boolean }): void {
    const source = this.#source;
    if (!source || source.info().id !== id) return;
    // A recording that is written has been changed already.
    if (!isOfSession(source) && !source.tail) {
      const info = { ...source.info(), ...change };
      this.#source = { ...source, info: () => info };
    }
    this.#reportShown();
  }

  /**
   * Rows `from` to `to` (exclusive) of the list, those that exist, with as many contents as are read in a moment.
   */
  async rows(from: number, to: number, withContents: boolean): Promise<RowsAnswer> {
    const untilMs = this.#environment.nowMs() + CONTENTS_MS;
    this.#requestedMs = this.#environment.nowMs();
    const layout = this.#layout;
    const list = this.#list;
    const reader = withContents ? this.#contents : null;
    const rows: ListRow[] = [];
    const end = Math.min(to, list?.length ?? 0);
    for (let row = Math.max(0, from); list && row < end; row += 1) rows.push(list.row(row));
    const contents: RowContent[] = [];
    let problem: string | null = null;
    const failed = (error: unknown): void => {
      problem ??= messageOf(error);
    };
    for (const row of rows) {
      // The first one is read in any case, so that every request comes further.
      const isLate = contents.length > 0 && this.#environment.nowMs() >= untilMs;
      if (!reader || isLate) break;
      contents.push(await reader.read(row, failed));
    }
    return {
      layout,
      rows: rows.map((row, at) => ({ ...row, ...(contents[at] ?? NO_CONTENT) })),
      isWhole: contents.length === rows.length,
      problem,
    };
  }

  /** Returns those of the entries that exist. */
  async entries(indexes: readonly number[]): Promise<ShownEntry[]> {
    const source = this.#source;
    if (!source) return [];
    return Promise.all(
      indexes.filter((index) => source.index.has(index)).map((index) => source.reader.entry(index)),
    );
  }

  /** Returns the sound in an entry; null where it carries none. */
  async frameAudio(index: number): Promise<FrameAudio | null> {
    const source = this.#source;
    return source?.index.has(index) ? source.decoder.audio(index) : null;
  }

  /** Returns the outcome of an audio frame; null for an entry that is no audio of a turn. */
  async frameOutcome(index: number): Promise<FrameOutcome | null> {
    const source = this.#source;
    if (!source?.index.has(index)) return null;
    const { turn, kind, direction } = source.index.head(index);
    if (turn === null || kind !== 'audio' || direction !== 'in') return null;
    const recorded = await this.#turnOf(turn, source);
    const isLive = isOfSession(source);
    const soFar = isLive ? this.#heardSoFar(turn) : null;
    return frameOutcomeOf(index, recorded, soFar, isLive);
  }

  /** Returns a stretch of a turn, as far as it has sound; null without any. */
  async turnSound(turn: number, fromS: number, toS: number) {
    const source = this.#source;
    const audio = source && (await this.#turnOf(turn, source)).sound.audio;
    if (!audio) return null;
    const { sampleRate, length } = audio;
    const from = Math.floor(fromS * sampleRate);
    const to = Math.min(length, Math.ceil(toS * sampleRate));
    return from < to ? { samples: audio.slice(from, to), sampleRate } : null;
  }

  /** The entry that carries a sample of a turn; null where none does. */
  async frameAt(turn: number, sample: number): Promise<number | null> {
    const source = this.#source;
    if (!source) return null;
    return (await this.#turnOf(turn, source)).frameAt(sample)?.index ?? null;
  }

  async #turnOf(turn: number, source: Source): Promise<RecordedTurn> {
    const { index, reader, decoder } = source;
    const known = this.#growing?.turn.id === turn ? this.#growing : null;
    const growing = known ?? new GrowingTurn(turn, index, reader, decoder);
    this.#growing = growing;
    try {
      await growing.update();
    } catch (error) {
      // The turn has a gap now, so the next query decodes it again.
      if (this.#growing === growing) this.#growing = null;
      throw error;
    }
    return growing.turn;
  }

  /** The row of each entry; −1 where the filter excludes it, or it does not exist. */
  locate(indexes: readonly number[]): Int32Array<ArrayBuffer> {
    this.#list?.update();
    return Int32Array.from(indexes, (index) => this.#list?.rowOf(index) ?? -1);
  }

  /** Returns entries that pass a filter other than that of the list. */
  find(filter: Filter): readonly number[] {
    const found: number[] = [];
    const index = this.#source?.index;
    if (index) addMatches(filter, index, 0, index.length, found);
    return found;
  }

  /** Searches the payloads of the shown recording. Cancels an earlier search. */
  search(
    query: SearchQuery,
    progressed: (progress: SearchProgress) => void,
    signal: AbortSignal,
  ): Promise<SearchEnd> {
    this.#search.abort();
    const abort = new AbortController();
    this.#search = abort;
    if (signal.aborted) abort.abort();
    signal.addEventListener('abort', () => abort.abort());
    const environment = this.#environment;
    return search(query, { recording: this.#source, environment, progressed, signal: abort.signal });
  }

  /** The findings that are kept, of entries or of a rule. */
  findings(of: FindingsAsked): FindingsAnswer {
    if (!this.#checker) return { findings: [], of: 0 };
    return 'rule' in of ? this.#checker.ofRule(of.rule, of.from, of.to) : this.#checker.ofEntries(of.entries);
  }

  /** The nearest entry with a finding after this one (`step` 1) or before it; −1 where there is none. */
  nextFinding(from: number, step: 1 | -1, withAdvice: boolean): number {
    return this.#source?.index.nextFinding(from, step, withAdvice) ?? -1;
  }

  #begin(opened: Omit<Source, 'decoder'> | null, loading = new AbortController()): void {
    const endpoint = endpointNamed(opened?.info().endpoint) ?? null;
    const source = opened && { ...opened, decoder: new FrameReader(opened.index, opened.reader, endpoint) };
    if (loading !== this.#loading) this.#loading.abort();
    this.#loading = loading;
    this.#search.abort();
    this.#source = source;
    this.#contents = source && new RowContents(source.reader, source.decoder);
    this.#checker?.dispose();
    this.#checker = source && this.#openChecker(source);
    this.#reportedFound = 0;
    this.#growing = null;
    this.#layOut();
    this.#reportCheck();
    this.#checker?.update();
  }

  #openChecker(source: Source): Checker {
    const { info, index, reader, tail } = source;
    const { id, endpoint, startedAtMs } = info();
    const passedUs = (): number | null => {
      if (isOfSession(source)) return (this.#environment.nowMs() - MAX_DELAY_MS - startedAtMs) * 1000;
      return tail && !tail.isOver ? tail.knownToUs : null;
    };
    return new Checker({
      environment: this.#environment,
      recording: id,
      endpoint,
      index,
      reader,
      passedUs,
      isAsked: () => this.#environment.nowMs() - this.#requestedMs < BUSY_MS,
      progressed: () => {
        this.#hasProgressed = true;
        this.#reportSoon();
      },
      failed: (failure) => this.#report({ failure }),
    });
  }

  /** Reports list and findings together, so that a fast session causes half as many reports. */
  #reportSoon(): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    this.#environment.after(REPORT_EVERY_MS, () => {
      this.#isReporting = false;
      if (this.#hasGrown) this.#list?.update();
      if (this.#hasProgressed) this.#reportCheck();
      // Rows show findings, and the filter for problems depends on them.
      const mayLayOut = this.#environment.nowMs() - this.#laidOutMs >= LAY_OUT_EVERY_MS;
      if (this.#hasFound && this.#options.filter.problemsOnly && mayLayOut)
        this.#layOut(this.#list?.openRuns);
      else if (this.#hasGrown || this.#hasFound) this.#reportShown();
      this.#hasGrown = false;
      this.#hasProgressed = false;
      if (!this.#options.filter.problemsOnly || mayLayOut) this.#hasFound = false;
      if (this.#hasFound) this.#reportSoon();
    });
  }

  #reportCheck(): void {
    const check = this.#checker?.view() ?? NOTHING_CHECKED;
    this.#report({ check });
    const found = check.groups.reduce((sum, { count }) => sum + count, 0);
    this.#hasFound ||= found !== this.#reportedFound;
    this.#reportedFound = found;
  }

  /** @param openRuns stay open */
  #layOut(openRuns?: ReadonlySet<number>): void {
    this.#list = this.#source && new FrameList(this.#source.index, this.#options, openRuns, LAID_OUT_FIRST);
    this.#layout += 1;
    this.#laidOutMs = this.#environment.nowMs();
    this.#reportShown();
    this.#layOutRest();
  }

  /** Lays out the remaining rows between other calls, and reports once all are there. */
  #layOutRest(): void {
    const list = this.#list;
    if (!list?.isBehind) return;
    this.#environment.after(0, () => {
      if (list !== this.#list) return;
      list.update(LAID_OUT_AT_ONCE);
      if (!list.isBehind) this.#reportShown();
      this.#layOutRest();
    });
  }

  #reportShown(): void {
    const source = this.#source;
    this.#report({
      shown: {
        layout: this.#layout,
        recording: source?.info() ?? null,
        isLive: source === null || isOfSession(source),
        isGrowing: source === null || isGrowing(source),
        firstNumber: source?.firstNumber ?? null,
        loaded: source?.index.length ?? 0,
        rows: this.#list?.length ?? 0,
        matches: this.#list?.matches ?? 0,
        facets: source?.index.facets ?? { kinds: [], contexts: [], lastTurn: 0, connections: 0 },
      },
    });
  }
}
