import { keepSame } from '#lib/deep-equal.ts';
import type { ShownView } from '#recordings/recordings-view.ts';
import type { ListRow, RowsAnswer, ShownRow } from '#recordings/view/frame-list.ts';
import type { RecordHead } from '#trace/entry.ts';
import { Listeners } from '../../../browser/listeners.ts';
import { paint } from '../../../browser/paint.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';

/** The source of rows. Null: they could not be read, which the source reports elsewhere. */
interface RowSource {
  /** @param contents aborted once the contents of the rows are no longer needed; null: without contents */
  rows(from: number, to: number, contents: AbortSignal | null): Promise<RowsAnswer | null>;
}

const PAGE_ROWS = 64;
const MAX_PAGES = 32;
/** Rows that are requested before they come into view. */
const AHEAD_ROWS = PAGE_ROWS;

/** Debounce of the contents after all rows in view were replaced: by growth of the list, and by a drag of the bar. */
const DEBOUNCE_MS = { growth: 300, jump: 100 } as const;
/** Rows that arrive too fast to be read are shown less often, because playback has priority. */
const RACE_STEP_MS = 200;
/** Fewer new rows at once are readable. */
const MIN_RACE_ROWS = 16;

interface Page {
  rows: readonly ShownRow[];
  layout: number;
  /** Version of the list when the page was requested. */
  version: number;
  hasContents: boolean;
}

/**
 * The rows in view and the next ones, the only copy on the page. A page of rows arrives with its contents in one answer.
 * Outdated rows are shown until their replacement arrives, so that nothing flickers.
 */
export class FrameWindow {
  readonly #source: RowSource;
  readonly #changed: () => void;
  #recording: string | null = null;
  #layout = -1;
  #version = 0;
  readonly #pages = new Map<number, Page>();
  readonly #requested = new Map<number, AbortController>();
  /** Pages in view whose contents could not be read. They are requested again once they have left the view. */
  readonly #unread = new Set<number>();
  /** Set as long as rows arrive too fast to be read. */
  #race: ReturnType<typeof setTimeout> | undefined;
  #debounceMs = 0;
  /** Rows in view, of how many. */
  #from = 0;
  #to = 0;
  #total = 0;
  /** Rows of the list. Those at the end may not have arrived. */
  #coming = 0;
  #isGrowing = false;
  /** Rows that are requested: those in view, and the next ones. */
  #first = 0;
  #last = 0;

  /** @param changed called with each answer that changes the view, without throttling */
  constructor(source: RowSource, changed: () => void) {
    this.#source = source;
    this.#changed = changed;
  }

  /** Adopts another view of the list. Called before any answer that belongs to it. */
  shown({ layout, recording, rows }: Pick<ShownView, 'layout' | 'recording' | 'rows'>): void {
    const isFollowed = this.#to >= this.#total && layout === this.#layout;
    const id = recording?.id ?? null;
    if (id !== this.#recording) {
      this.#recording = id;
      this.#pages.clear();
      this.#unread.clear();
    }
    if (layout !== this.#layout) {
      this.#layout = layout;
      for (const abort of this.#requested.values()) abort.abort();
      this.#requested.clear();
    }
    // Rows may change although none is added: a run at the end grows, an entry breaks a rule.
    this.#version += 1;
    this.#coming = rows;
    if (isFollowed && rows > this.#total) {
      if (rows - this.#total > Math.max(MIN_RACE_ROWS, this.#to - this.#from)) this.#wait(DEBOUNCE_MS.growth);
      void this.#grow();
      return;
    }
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

  async #grow(): Promise<void> {
    if (this.#isGrowing) return;
    this.#isGrowing = true;
    while (this.#coming > this.#total) {
      const rows = this.#coming;
      const layout = this.#layout;
      const from = Math.max(0, rows - Math.max(PAGE_ROWS, this.#to - this.#from));
      const pages: Promise<void>[] = [];
      for (let page = Math.floor(from / PAGE_ROWS); page * PAGE_ROWS < rows; page += 1) {
        pages.push(this.#fetch(page));
      }
      await Promise.all(pages);
      // The length of another list is known at once.
      if (layout !== this.#layout) continue;
      this.#total = Math.max(this.#total, rows);
      this.#changed();
      if (this.#race !== undefined) await new Promise((resolve) => setTimeout(resolve, RACE_STEP_MS));
    }
    this.#isGrowing = false;
  }

  /** Delays the contents of replaced rows, because all of them may be replaced again in a moment. */
  #wait(debounceMs: number): void {
    this.#debounceMs = this.#race === undefined ? debounceMs : Math.max(this.#debounceMs, debounceMs);
    clearTimeout(this.#race);
    this.#race = setTimeout(() => {
      this.#race = undefined;
      this.#request(false);
    }, this.#debounceMs);
  }

  /** Returns the row to show, which may be outdated; undefined: it has not arrived, see {@link want}. */
  row(at: number): ShownRow | undefined {
    return this.#pages.get(Math.floor(at / PAGE_ROWS))?.rows[at % PAGE_ROWS];
  }

  /** Returns the current row, with or without its contents; undefined: it cannot be read. */
  async current(at: number): Promise<ShownRow | undefined> {
    const page = this.#pages.get(Math.floor(at / PAGE_ROWS));
    const known = page?.layout === this.#layout ? page.rows[at % PAGE_ROWS] : undefined;
    return known ?? (await this.#source.rows(at, at + 1, null))?.rows[0];
  }

  /** Requests the rows in view (`to` exclusive) that are unknown or outdated, and the next in the direction of travel. */
  want(from: number, to: number): void {
    if (from !== this.#from || to !== this.#to) {
      const isUp = from < this.#from;
      if (this.#to > 0 && (from >= this.#to || to <= this.#from)) this.#wait(DEBOUNCE_MS.jump);
      this.#from = from;
      this.#to = to;
      this.#first = isUp ? Math.max(0, from - AHEAD_ROWS) : from;
      this.#last = isUp ? to : Math.max(to, Math.min(to + AHEAD_ROWS, this.#total));
      for (const page of this.#unread) if (!this.#isWanted(page)) this.#unread.delete(page);
      for (const [page, contents] of this.#requested) if (!this.#isWanted(page)) contents.abort();
    }
    if (to > from) this.#request(true);
  }

  /** Whether the page is in view, comes next, or is the growing end. */
  #isWanted(page: number): boolean {
    const end = (page + 1) * PAGE_ROWS;
    return (end > this.#first && page * PAGE_ROWS < this.#last) || (this.#isGrowing && end > this.#total);
  }

  /** Requests pages that are unknown or lack their contents, and outdated ones if `withOutdated`. */
  #request(withOutdated: boolean): void {
    for (let page = Math.floor(this.#first / PAGE_ROWS); page * PAGE_ROWS < this.#last; page += 1) {
      const known = this.#pages.get(page);
      if (known) this.#touch(page, known);
      const isMissing = !known || (withOutdated && known.version !== this.#version);
      const lacksContents = known?.hasContents === false && this.#wantsContents(page);
      if ((!isMissing && !lacksContents) || this.#requested.has(page)) continue;
      void this.#fetch(page);
    }
  }

  #wantsContents(page: number): boolean {
    return this.#race === undefined && !this.#unread.has(page);
  }

  async #fetch(page: number): Promise<void> {
    const version = this.#version;
    const layout = this.#layout;
    const abort = new AbortController();
    this.#requested.set(page, abort);
    const contents = this.#wantsContents(page) ? abort.signal : null;
    const answer = await this.#source.rows(page * PAGE_ROWS, (page + 1) * PAGE_ROWS, contents);
    if ((answer?.layout ?? layout) !== this.#layout) return;
    this.#requested.delete(page);
    const before = this.#pages.get(page)?.rows ?? [];
    const isUnread = !answer || answer.problem !== null;
    if (isUnread) this.#unread.add(page);
    // Rows that could not be read stay as they were until the list changes.
    const rows = answer?.rows.map((row, at) => merged(row, before[at])) ?? before;
    this.#touch(page, { rows, layout: this.#layout, version, hasContents: !isUnread && answer.hasContents });
    // The scroll may have come to rest meanwhile.
    this.#request(false);
    if (page * PAGE_ROWS < this.#to && (page + 1) * PAGE_ROWS > this.#from) this.#changed();
  }

  /** Keeps the page as the most recently used. */
  #touch(page: number, content: Page): void {
    this.#pages.delete(page);
    this.#pages.set(page, content);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) return;
      this.#pages.delete(oldest);
    }
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
