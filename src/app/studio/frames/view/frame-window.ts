import { keepSame } from '#lib/deep-equal.ts';
import type { ShownView } from '#recordings/recordings-view.ts';
import type { ListRow, RowsAnswer, ShownRow } from '#recordings/view/frame-list.ts';
import type { RecordHead } from '#trace/entry.ts';
import { Listeners } from '../../../browser/listeners.ts';
import { paint } from '../../../browser/paint.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';

/** The source of rows. Null: they could not be read, which the source reports elsewhere. */
interface RowSource {
  rows(from: number, to: number, withContents: boolean): Promise<RowsAnswer | null>;
}

/** Rows on either side of the view that are requested with it. */
const AHEAD_ROWS = 64;
/** The view is requested again when it comes so close to the end of the known rows. */
const LEAST_AHEAD_ROWS = AHEAD_ROWS / 2;

/** Rows further from the view are forgotten. */
const FAR_ROWS = 2 * AHEAD_ROWS;

interface RowRange {
  from: number;
  /** Exclusive. */
  to: number;
}

/**
 * The rows in view and those around it, the only copy on the page. There is one request at a time, so that fast scrolling
 * requests less. Outdated rows are shown until their replacement arrives, so that nothing flickers.
 */
export class FrameWindow {
  readonly #source: RowSource;
  readonly #changed: () => void;
  #recording: string | null = null;
  #layout = -1;
  /** Rows may change although none is added: a run at the end grows, an entry breaks a rule. */
  #version = 0;
  #rows = new Map<number, ShownRow>();
  /** Of the last answer. `isWhole`: nothing more of its rows can be read. */
  #answered = { from: 0, to: 0, layout: -1, version: 0, isWhole: false };
  #isAsking = false;
  #view: RowRange = { from: 0, to: 0 };
  #total = 0;
  /** Rows of the list. Those at the end may not have arrived. */
  #coming = 0;

  /** @param changed called with each answer, without throttling */
  constructor(source: RowSource, changed: () => void) {
    this.#source = source;
    this.#changed = changed;
  }

  /** Adopts another view of the list. Called before any answer that belongs to it. */
  shown({ layout, recording, rows }: Pick<ShownView, 'layout' | 'recording' | 'rows'>): void {
    const isFollowed = this.#view.to >= this.#total && layout === this.#layout && rows > this.#total;
    const id = recording?.id ?? null;
    if (id !== this.#recording) {
      this.#recording = id;
      this.#rows.clear();
    }
    this.#layout = layout;
    this.#version += 1;
    this.#coming = rows;
    void this.#ask();
    if (isFollowed) return;
    this.#total = rows;
    this.#changed();
  }

  /** Rows of the list. A list whose end is in view grows once the rows there have arrived, so that it has no holes. */
  get total(): number {
    return this.#total;
  }

  /** Id of the recording; null for none. */
  get recording(): string | null {
    return this.#recording;
  }

  /** Returns the row to show, which may be outdated; undefined: it has not arrived, see {@link want}. */
  row(at: number): ShownRow | undefined {
    return this.#rows.get(at);
  }

  /** Returns the current row, with or without its contents; undefined: it cannot be read. */
  async current(at: number): Promise<ShownRow | undefined> {
    const { from, to, layout } = this.#answered;
    const known = layout === this.#layout && at >= from && at < to ? this.#rows.get(at) : undefined;
    return known ?? (await this.#source.rows(at, at + 1, false))?.rows[0];
  }

  /** Requests the rows in view (`to` exclusive) that are unknown or outdated. */
  want(from: number, to: number): void {
    this.#view = { from, to };
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    // What else happens in this task counts, too.
    await Promise.resolve();
    for (let range = this.#missing(); range; range = this.#missing()) await this.#fetch(range);
    this.#isAsking = false;
  }

  /** Returns the rows to request; null where all are known. */
  #missing(): RowRange | null {
    const { from, to, layout, version, isWhole } = this.#answered;
    const isCurrent = layout === this.#layout && version === this.#version && isWhole;
    const end = this.#coming;
    const view = this.#viewOnArrival;
    if (view.to <= view.from) return null;
    const least = {
      from: Math.max(0, view.from - LEAST_AHEAD_ROWS),
      to: Math.min(end, view.to + LEAST_AHEAD_ROWS),
    };
    const wanted = { from: Math.max(0, view.from - AHEAD_ROWS), to: Math.min(end, view.to + AHEAD_ROWS) };
    if (!isCurrent) return wanted;
    if (from <= least.from && to >= least.to) return null;
    // Known rows are not requested again.
    if (from <= wanted.from && wanted.from < to) return { from: to, to: wanted.to };
    if (wanted.to <= to && from < wanted.to) return { from: wanted.from, to: from };
    return wanted;
  }

  /** The view, or the end of a list that grows there. */
  get #viewOnArrival(): RowRange {
    const { from, to } = this.#view;
    if (this.#coming <= this.#total) return { from, to };
    return { from: Math.max(0, this.#coming - Math.max(AHEAD_ROWS, to - from)), to: this.#coming };
  }

  /** All rows in view are unknown. They arrive first without their contents, because the view may jump again at once. */
  get #hasJumped(): boolean {
    const { from, to } = this.#viewOnArrival;
    const end = Math.min(to, this.#coming);
    for (let at = from; at < end; at += 1) if (this.#rows.has(at)) return false;
    return end > from;
  }

  #isNear(at: number): boolean {
    return at >= this.#view.from - FAR_ROWS && at < this.#view.to + FAR_ROWS;
  }

  async #fetch({ from, to }: RowRange): Promise<void> {
    const [layout, version, rows] = [this.#layout, this.#version, this.#coming];
    const answer = await this.#source.rows(from, to, !this.#hasJumped);
    if ((answer?.layout ?? layout) !== this.#layout) return;
    // Rows that cannot be read stay as they are until the list changes.
    const last = this.#answered;
    const goesOn =
      last.layout === layout && last.version === version && (from === last.to || to === last.from);
    const known = goesOn ? { from: Math.min(from, last.from), to: Math.max(to, last.to) } : { from, to };
    this.#answered = { ...known, layout: this.#layout, version, isWhole: answer?.isWhole ?? true };
    if (!answer) return;
    const before = this.#rows;
    this.#rows = new Map(answer.rows.map((row, at) => [from + at, merged(row, before.get(from + at))]));
    for (const [at, row] of before) if (!this.#rows.has(at) && this.#isNear(at)) this.#rows.set(at, row);
    this.#answered.from = Math.max(known.from, Math.min(from, this.#view.from - FAR_ROWS));
    this.#answered.to = Math.min(known.to, Math.max(to, this.#view.to + FAR_ROWS));
    if (layout === this.#layout) this.#total = Math.max(this.#total, rows);
    this.#changed();
  }
}

/** Returns the row, with its known contents if it arrived without, and the same object if nothing has changed. */
function merged(row: ShownRow, before: ShownRow | undefined): ShownRow {
  const isBare = row.summary === null && row.envelope === null;
  if (!before || !isBare || !isSameRow(before, row)) return keepSame(row, before);
  return keepSame({ ...row, summary: before.summary, envelope: before.envelope }, before);
}

export const headOf = (row: ListRow): RecordHead => (row.type === 'run' ? row.first : row.head);

export const isSameRow = (row: ListRow | undefined, other: ListRow): boolean =>
  row?.type === other.type && headOf(row).index === headOf(other).index;

/** Notifies of changes of rows and of hits, once an animation frame at most. For `useSyncExternalStore`. */
class ListChanges {
  #version = 0;
  #painted = 0;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.add;
  #leavePaint: (() => void) | null = null;

  get version(): number {
    return this.#painted;
  }

  note(): void {
    this.#version += 1;
    this.#leavePaint ??= paint.add(() => {
      if (this.#painted === this.#version) return false;
      this.#painted = this.#version;
      this.#listeners.call();
      return false;
    });
    paint.request();
  }
}

export const listChanges = new ListChanges();

/** The rows of the frames panel. */
export const frameWindow = new FrameWindow(recordingsLink, () => listChanges.note());

/** Follows the recording that the worker shows. */
export function followShown(): void {
  frameWindow.shown(recordingsLink.shown);
  recordingsLink.onShown((shown) => frameWindow.shown(shown));
}
