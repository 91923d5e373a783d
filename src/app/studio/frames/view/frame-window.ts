import { keepSame } from '#lib/deep-equal.ts';
import type { ShownView } from '#recordings/messages.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import type { Envelope } from '#recordings/view/envelope.ts';
import type { EnvelopePlace } from '#recordings/view/envelopes.ts';
import type { ListRow } from '#recordings/view/frame-list.ts';
import { summaryOf } from './summary.ts';

/** Where rows and payloads come from; null: they could not be read, which is told elsewhere. */
export interface RowSource {
  rows(from: number, to: number): Promise<{ layout: number; rows: readonly ListRow[] } | null>;
  entries(indexes: readonly number[]): Promise<readonly ShownEntry[] | null>;
  envelopes(places: readonly EnvelopePlace[]): Promise<readonly (Envelope | null)[] | null>;
}

const PAGE_ROWS = 64;
const MAX_PAGES = 32;
const MAX_SUMMARIES = 4096;
const MAX_ENVELOPES = 2048;
/** Rows that are asked for before they are looked at, so that a row is whole as it comes into view. */
const AHEAD_ROWS = PAGE_ROWS;
/** Few enough that whoever scrolls on waits for no more than these. */
const ENVELOPES_AT_ONCE = 12;

/** Rows that have replaced all others in view are read only if they stay for so long: as the list grows, and as one drags through it. */
const CALM_MS = { growth: 300, jump: 100 } as const;
/** Rows that nobody can read are shown less often: the machine has sound to play. */
const RACE_STEP_MS = 200;
/** Fewer new rows at once can be followed by eye. */
const MIN_RACE_ROWS = 16;

interface WantedEnvelope {
  key: string;
  place: EnvelopePlace;
}

interface KnownEnvelope {
  /** The last entry that is in it. */
  last: number;
  /** Null: nothing can be decoded there. */
  envelope: Envelope | null;
}

interface Page {
  rows: readonly ListRow[];
  layout: number;
  /** What was shown when they were asked for. */
  version: number;
}

/**
 * The part of the list that is looked at, and a little around it. Rows live here and nowhere else in the page; what has
 * changed since is shown until its replacement is there, so that nothing flickers.
 */
export class FrameWindow {
  readonly #source: RowSource;
  readonly #changed: () => void;
  #recording: string | null = null;
  #layout = -1;
  #version = 0;
  readonly #pages = new Map<number, Page>();
  readonly #asked = new Set<number>();
  readonly #summaries = new Map<number, string>();
  readonly #askedSummaries = new Set<number>();
  /** By row. A run may have grown since. */
  readonly #envelopes = new Map<string, KnownEnvelope>();
  /** Rows whose waveforms are still to be asked for: those in view and those that come next, and no others. */
  #wantedEnvelopes: WantedEnvelope[] = [];
  readonly #askedEnvelopes = new Set<string>();
  /** What could not be read of the rows in view, not asked for again until they are left and looked at anew. */
  #unread = new Set<string>();
  /** Answers to what was asked before belong to something else. */
  #epoch = 0;
  /** As long as rows come too fast to be read. */
  #race: ReturnType<typeof setTimeout> | undefined;
  #calmMs = 0;
  /** Rows that are looked at, of how many. */
  #from = 0;
  #to = 0;
  #total = 0;
  /** Rows that there are, of which those at the end may not be known yet. */
  #coming = 0;
  #isGrowing = false;
  /** Rows that are asked for: those, and some that come next. */
  #first = 0;
  #last = 0;

  /** @param changed there is something new to show; called as answers come, not once a frame */
  constructor(source: RowSource, changed: () => void) {
    this.#source = source;
    this.#changed = changed;
  }

  /** Told before any answer that belongs to it. */
  shown({ layout, recording, rows }: Pick<ShownView, 'layout' | 'recording' | 'rows'>): void {
    const isFollowed = this.#to >= this.#total && layout === this.#layout;
    const id = recording?.id ?? null;
    if (id !== this.#recording) {
      this.#recording = id;
      this.#epoch += 1;
      this.#pages.clear();
      this.#summaries.clear();
      this.#askedSummaries.clear();
      this.#envelopes.clear();
      this.#askedEnvelopes.clear();
      this.#unread.clear();
    }
    if (layout !== this.#layout) {
      this.#layout = layout;
      this.#asked.clear();
    }
    // A row may have changed although no other came: a run at the end has grown, an entry breaks a rule.
    this.#version += 1;
    this.#coming = rows;
    if (isFollowed && rows > this.#total) {
      if (rows - this.#total > Math.max(MIN_RACE_ROWS, this.#to - this.#from)) this.#wait(CALM_MS.growth);
      void this.#grow();
      return;
    }
    this.#total = rows;
    this.#changed();
  }

  /** How many rows the list has. One whose end is looked at grows when the rows there are known, and shows no holes. */
  get total(): number {
    return this.#total;
  }

  async #grow(): Promise<void> {
    if (this.#isGrowing) return;
    this.#isGrowing = true;
    while (this.#coming > this.#total) {
      const rows = this.#coming;
      const layout = this.#layout;
      const epoch = this.#epoch;
      const from = Math.max(0, rows - Math.max(PAGE_ROWS, this.#to - this.#from));
      const pages: Promise<void>[] = [];
      for (let page = Math.floor(from / PAGE_ROWS); page * PAGE_ROWS < rows; page += 1) {
        pages.push(this.#fetch(page));
      }
      await Promise.all(pages);
      // Of another list everything was told at once.
      if (epoch !== this.#epoch || layout !== this.#layout) continue;
      this.#total = Math.max(this.#total, rows);
      this.#changed();
      if (this.#race !== undefined) await new Promise((resolve) => setTimeout(resolve, RACE_STEP_MS));
    }
    this.#isGrowing = false;
  }

  /** All rows in view are other ones, and may be again in a moment. What is in them waits until they stay. */
  #wait(calmMs: number): void {
    this.#calmMs = this.#race === undefined ? calmMs : Math.max(this.#calmMs, calmMs);
    clearTimeout(this.#race);
    this.#race = setTimeout(() => {
      this.#race = undefined;
      this.#wantContents();
    }, this.#calmMs);
  }

  /** What to show there, which may have stood there a moment ago; undefined: not known yet, see {@link want}. */
  row(at: number): ListRow | undefined {
    return this.#pages.get(Math.floor(at / PAGE_ROWS))?.rows[at % PAGE_ROWS];
  }

  /** What stands there now; undefined: not known. */
  async current(at: number): Promise<ListRow | undefined> {
    const page = this.#pages.get(Math.floor(at / PAGE_ROWS));
    const known = page?.layout === this.#layout ? page.rows[at % PAGE_ROWS] : undefined;
    return known ?? (await this.#source.rows(at, at + 1))?.rows[0];
  }

  /** What the entry says; undefined: not known yet. */
  summary(index: number): string | undefined {
    return this.#summaries.get(index);
  }

  /** The tiny waveform of a row; undefined: it has none, or it is not known yet. */
  envelope(row: ListRow): Envelope | undefined {
    return this.#envelopes.get(keyOf(row))?.envelope ?? undefined;
  }

  /**
   * These rows (`to` exclusive) are looked at: asks for what is not known of them, or has changed, and for those that
   * come next as one goes on in the same direction.
   */
  want(from: number, to: number): void {
    if (from !== this.#from || to !== this.#to) {
      const isUp = from < this.#from;
      if (this.#to > 0 && (from >= this.#to || to <= this.#from)) this.#wait(CALM_MS.jump);
      this.#from = from;
      this.#to = to;
      this.#first = isUp ? Math.max(0, from - AHEAD_ROWS) : from;
      this.#last = isUp ? to : Math.max(to, Math.min(to + AHEAD_ROWS, this.#total));
    }
    if (to <= from) return;
    for (let page = Math.floor(this.#first / PAGE_ROWS); page * PAGE_ROWS < this.#last; page += 1) {
      const known = this.#pages.get(page);
      if (known) this.#touch(page, known);
      if (known?.version !== this.#version && !this.#asked.has(page)) void this.#fetch(page);
    }
    this.#wantContents();
  }

  /** What is in the rows that are there by now. */
  #wantContents(): void {
    const unread = new Set<string>();
    this.#wantSummaries(this.#first, this.#last, unread);
    this.#wantEnvelopes(this.#first, this.#last, unread);
    this.#unread = unread;
  }

  /** Tells of what has come, if a row that is looked at shows it. */
  #came(isShownBy: (row: ListRow) => boolean): void {
    for (let at = this.#from; at < this.#to; at += 1) {
      const row = this.row(at);
      if (row && isShownBy(row)) {
        this.#changed();
        return;
      }
    }
  }

  async #fetch(page: number): Promise<void> {
    const version = this.#version;
    const layout = this.#layout;
    this.#asked.add(page);
    const answer = await this.#source.rows(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
    if ((answer?.layout ?? layout) !== this.#layout) return;
    this.#asked.delete(page);
    const before = this.#pages.get(page)?.rows ?? [];
    // Where they could not be read, what was known of them stands until the list changes.
    const rows = answer?.rows.map((row, at) => keepSame(row, before[at])) ?? before;
    this.#touch(page, { rows, layout: this.#layout, version });
    this.#wantContents();
    this.#came(({ row }) => Math.floor(row / PAGE_ROWS) === page);
  }

  /** @param unread takes what is not asked for, since it could not be read */
  #wantSummaries(from: number, to: number, unread: Set<string>): void {
    const indexes: number[] = [];
    for (let at = from; at < to; at += 1) {
      const row = this.row(at);
      if (row?.type !== 'entry') continue;
      const { head } = row;
      if (this.#summaries.has(head.index) || this.#askedSummaries.has(head.index)) continue;
      // Audio is told from its head: no payload is fetched for it.
      if (head.audioMs !== null) this.#keepSummary(head.index, summaryOf({ ...head, payload: null }));
      else if (this.#unread.has(summaryKey(head.index))) unread.add(summaryKey(head.index));
      else indexes.push(head.index);
    }
    if (indexes.length > 0 && this.#race === undefined) void this.#fetchSummaries(indexes);
  }

  async #fetchSummaries(indexes: readonly number[]): Promise<void> {
    const epoch = this.#epoch;
    for (const index of indexes) this.#askedSummaries.add(index);
    const entries = await this.#source.entries(indexes);
    if (epoch !== this.#epoch) return;
    for (const index of indexes) {
      this.#askedSummaries.delete(index);
      if (!entries) this.#unread.add(summaryKey(index));
    }
    for (const entry of entries ?? []) this.#keepSummary(entry.index, summaryOf(entry));
    const came = new Set(indexes);
    this.#came((row) => row.type === 'entry' && came.has(row.head.index));
  }

  /** @param unread takes what is not asked for, since it could not be read */
  #wantEnvelopes(from: number, to: number, unread: Set<string>): void {
    this.#wantedEnvelopes = [];
    for (let at = from; at < to; at += 1) {
      const row = this.row(at);
      const place = row && placeOf(row);
      if (!place) continue;
      const key = keyOf(row);
      if (this.#envelopes.get(key)?.last === place.last || this.#askedEnvelopes.has(key)) continue;
      if (this.#unread.has(envelopeKey(key))) unread.add(envelopeKey(key));
      else this.#wantedEnvelopes.push({ key, place });
    }
    if (this.#askedEnvelopes.size === 0 && this.#race === undefined) void this.#fetchEnvelopes();
  }

  /** A few at a time, always of what is looked at by then. */
  async #fetchEnvelopes(): Promise<void> {
    while (this.#wantedEnvelopes.length > 0) {
      const epoch = this.#epoch;
      const wanted = this.#wantedEnvelopes.splice(0, ENVELOPES_AT_ONCE);
      const came = new Set(wanted.map(({ key }) => key));
      for (const key of came) this.#askedEnvelopes.add(key);
      const envelopes = await this.#source.envelopes(wanted.map(({ place }) => place));
      if (epoch !== this.#epoch) return;
      this.#askedEnvelopes.clear();
      wanted.forEach(({ key, place: { last } }, at) => {
        if (envelopes) this.#keepEnvelope(key, { last, envelope: envelopes[at] ?? null });
        else this.#unread.add(envelopeKey(key));
      });
      this.#came((row) => came.has(keyOf(row)));
    }
  }

  #keepEnvelope(key: string, known: KnownEnvelope): void {
    this.#envelopes.delete(key);
    this.#envelopes.set(key, known);
    for (const oldest of this.#envelopes.keys()) {
      if (this.#envelopes.size <= MAX_ENVELOPES) return;
      this.#envelopes.delete(oldest);
    }
  }

  #keepSummary(index: number, summary: string): void {
    this.#summaries.set(index, summary);
    for (const oldest of this.#summaries.keys()) {
      if (this.#summaries.size <= MAX_SUMMARIES) return;
      this.#summaries.delete(oldest);
    }
  }

  /** Keeps the page, as the one that was looked at last. */
  #touch(page: number, content: Page): void {
    this.#pages.delete(page);
    this.#pages.set(page, content);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) return;
      this.#pages.delete(oldest);
    }
  }
}

/** What of the recording a row's waveform is made of; null where it is no audio from the server. */
function placeOf(row: ListRow): EnvelopePlace | null {
  if (row.type === 'run') return { first: row.first.index, last: row.last };
  const { index, kind, direction } = row.head;
  return kind === 'audio' && direction === 'in' ? { first: index, last: index } : null;
}

const summaryKey = (index: number): string => `summary ${index}`;
const envelopeKey = (key: string): string => `waveform ${key}`;

/** A run and its first entry begin with the same. */
const keyOf = (row: ListRow): string =>
  row.type === 'run' ? `run ${row.first.index}` : String(row.head.index);
