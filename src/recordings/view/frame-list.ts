import { lastNotAbove } from '#lib/collections/bisect.ts';
import { remember } from '#lib/collections/maps.ts';
import { knownSum } from '#lib/statistics/known-sum.ts';
import type { RecordHead } from '#trace/entry.ts';
import { MAX_ROWS } from '../recordings-view.ts';
import { added, type FindingCount } from '../store/finding-marks.ts';
import { type FrameIndex, isSameAudio } from '../store/frame-index.ts';
import { ENVELOPE_COLUMNS, type Envelope, envelopeOf, loudnessOf } from './envelope.ts';
import { addMatches, type Filter } from './filter.ts';
import type { EntryReader, FrameReader } from './frame-reader.ts';
import { summaryOf } from './summary.ts';

export interface ListOptions {
  filter: Filter;
  /** Shows consecutive audio entries as one row. */
  fold: boolean;
}

export type ListRow =
  | {
      type: 'entry';
      row: number;
      head: RecordHead;
      /** Since the entry listed before it; null for the first. */
      gapUs: number | null;
      isProblem: boolean;
      findings: FindingCount | null;
    }
  | {
      /** Precedes the rows of its entries while open, and replaces them while closed. */
      type: 'run';
      row: number;
      first: RecordHead;
      /** Index of its last entry. */
      last: number;
      count: number;
      gapUs: number | null;
      /** From its first entry to its last. */
      lengthUs: number;
      bytes: number;
      /** Null where the length of some audio is unknown. */
      audioMs: number | null;
      findings: FindingCount | null;
      isOpen: boolean;
    };

/** The part of a row that comes from payloads; null where there is none, or it was not read. */
export interface RowContent {
  /** Of a single entry. */
  summary: string | null;
  /** Of received audio. */
  envelope: Envelope | null;
}

export type ShownRow = ListRow & RowContent;

export interface RowsAnswer {
  layout: number;
  rows: readonly ShownRow[];
  /** Nothing more of these rows can be read. */
  isWhole: boolean;
  /** Why some contents could not be read. */
  problem: string | null;
}

export const NO_CONTENT: RowContent = { summary: null, envelope: null };

const MAX_SUMMARIES = 4096;
const MAX_ENVELOPES = 2048;

/** The rows of a list of frames: entries that pass a filter, with runs of audio folded. Grows with its index. */
export class FrameList {
  readonly #index: FrameIndex;
  readonly #options: ListOptions;
  readonly #matches: number[] = [];
  readonly #open: Set<number>;
  /** For each row the place of its first entry among the matches. */
  #places: number[] = [];
  /** For each row the length of its run; 0 for a single entry. */
  #counts: number[] = [];
  #scanned = 0;
  #laidOut = 0;
  /** Length and row of the last run, which the next entry may join. */
  #runLength = 0;
  #runRow = 0;

  /**
   * @param openRuns of the list that this one replaces
   * @param atMost entries that are scanned at once
   */
  constructor(
    index: FrameIndex,
    options: ListOptions,
    openRuns: ReadonlySet<number> = new Set(),
    atMost = Number.POSITIVE_INFINITY,
  ) {
    this.#index = index;
    this.#options = options;
    this.#open = new Set(openRuns);
    this.update(atMost);
  }

  /** Indexes of the first entries of runs that are open. */
  get openRuns(): ReadonlySet<number> {
    return this.#open;
  }

  get length(): number {
    return Math.min(this.#places.length, MAX_ROWS);
  }

  /** Entries that pass the filter. */
  get matches(): number {
    return this.#matches.length;
  }

  /** Entries of the index were not scanned yet. */
  get isBehind(): boolean {
    return this.#scanned < this.#index.length;
  }

  /** Adds the new entries of the index, `atMost` of them. */
  update(atMost = Number.POSITIVE_INFINITY): void {
    const to = Math.min(this.#index.length, this.#scanned + atMost);
    addMatches(this.#options.filter, this.#index, this.#scanned, to, this.#matches);
    this.#scanned = to;
    this.#layOut();
  }

  /** Opens the run that begins with this entry, or closes it. */
  setOpen(first: number, isOpen: boolean): void {
    if (this.#open.has(first) === isOpen) return;
    if (isOpen) this.#open.add(first);
    else this.#open.delete(first);
    this.#places = [];
    this.#counts = [];
    this.#laidOut = 0;
    this.#layOut();
  }

  /** Returns the row of an entry or of its closed run; -1 where the filter excludes it, or behind the last row. */
  rowOf(entry: number): number {
    const place = lastNotAbove(this.#matches, entry);
    if (place < 0 || this.#matches[place] !== entry) return -1;
    const row = lastNotAbove(this.#places, place);
    return row < MAX_ROWS ? row : -1;
  }

  /** @throws RangeError where there is no such row */
  row(row: number): ListRow {
    const place = this.#places[row] ?? -1;
    const count = this.#counts[row] ?? 0;
    const head = this.#headAt(place);
    const gapUs = place === 0 ? null : head.atUs - this.#headAt(place - 1).atUs;
    if (count === 0) {
      const { index } = head;
      const [isProblem, findings] = [this.#index.isProblem(index), this.#index.findings(index)];
      return { type: 'entry', row, head, gapUs, isProblem, findings };
    }
    let bytes = 0;
    let audioMs: number | null = 0;
    let findings: FindingCount | null = null;
    let last = head;
    for (let i = place; i < place + count; i += 1) {
      last = this.#headAt(i);
      bytes += last.bytes;
      audioMs = knownSum(audioMs, last.audioMs);
      findings = added(findings, this.#index.findings(last.index));
    }
    return {
      type: 'run',
      row,
      first: head,
      last: last.index,
      count,
      gapUs,
      lengthUs: last.atUs - head.atUs,
      bytes,
      audioMs,
      findings,
      isOpen: this.#open.has(head.index),
    };
  }

  #layOut(): void {
    const { length } = this.#matches;
    for (let place = this.#laidOut; place < length; place += 1) {
      const goesOn =
        this.#options.fold && place > 0 && isSameAudio(this.#headAt(place), this.#headAt(place - 1));
      if (goesOn) this.#join(place);
      else {
        this.#runLength = 1;
        this.#runRow = this.#places.length;
        this.#push(place, 0);
      }
    }
    this.#laidOut = length;
  }

  #join(place: number): void {
    this.#runLength += 1;
    this.#counts[this.#runRow] = this.#runLength;
    if (this.#open.size === 0) return;
    if (!this.#open.has(this.#headAt(this.#places[this.#runRow] ?? 0).index)) return;
    // The row of the first entry has become that of the run.
    if (this.#runLength === 2) this.#push(place - 1, 0);
    this.#push(place, 0);
  }

  #headAt(place: number): RecordHead {
    return this.#index.head(this.#matches[place] ?? -1);
  }

  #push(place: number, count: number): void {
    this.#places.push(place);
    this.#counts.push(count);
  }
}

/** Reads and caches the contents of rows of one recording. */
export class RowContents {
  readonly #reader: EntryReader;
  readonly #decoder: FrameReader;
  readonly #summaries = new Map<number, string>();
  /** By row. A run that has grown since ends with another entry. */
  readonly #envelopes = new Map<string, { last: number; envelope: Envelope | null }>();

  constructor(reader: EntryReader, decoder: FrameReader) {
    this.#reader = reader;
    this.#decoder = decoder;
  }

  /** @param failed called with the reason where a payload cannot be read, which leaves that content null */
  async read(row: ListRow, failed: (error: unknown) => void): Promise<RowContent> {
    const orNull = <Content>(content: Promise<Content>): Promise<Content | null> =>
      content.catch((error) => {
        failed(error);
        return null;
      });
    if (row.type === 'run') {
      const { first, last } = row;
      return {
        summary: null,
        envelope: await orNull(this.#envelope(`run ${first.index}`, first.index, last)),
      };
    }
    const { index, kind, direction } = row.head;
    const isReceivedAudio = kind === 'audio' && direction === 'in';
    return {
      summary: await orNull(this.#summary(row)),
      envelope: isReceivedAudio ? await orNull(this.#envelope(String(index), index, index)) : null,
    };
  }

  async #summary({ head }: Extract<ListRow, { type: 'entry' }>): Promise<string> {
    const { index } = head;
    let summary = this.#summaries.get(index);
    // The head of an audio entry says enough, so its payload is not read.
    summary ??= summaryOf(
      head.audioMs === null ? await this.#reader.entry(index) : { ...head, payload: null },
    );
    remember(this.#summaries, index, summary, MAX_SUMMARIES);
    return summary;
  }

  async #envelope(row: string, first: number, last: number): Promise<Envelope | null> {
    const known = this.#envelopes.get(row);
    const envelope = known?.last === last ? known.envelope : await this.#decode(first, last);
    remember(this.#envelopes, row, { last, envelope }, MAX_ENVELOPES);
    return envelope;
  }

  /** Returns the waveform of a run; null where nothing can be decoded. Of a long run, one frame a column is decoded. */
  async #decode(first: number, last: number): Promise<Envelope | null> {
    const { frames, isWhole } = await this.#decoder.run(first, last, ENVELOPE_COLUMNS);
    return isWhole ? envelopeOf(frames) : loudnessOf(frames);
  }
}
