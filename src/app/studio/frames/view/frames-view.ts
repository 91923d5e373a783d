import { deepEqual } from '#lib/deep-equal.ts';
import type { ListRow } from '#recordings/view/frame-list.ts';
import type { RecordHead } from '#trace/entry.ts';
import { frameOfSession, hasFramesOf, numberOf } from '../../../recordings/frame-of.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';
import type { Selected } from '../../../session-client/selection.ts';
import type { SessionClient } from '../../../session-client/session-client.ts';
import {
  type FrameWindow,
  followShown,
  frameWindow,
  headOf,
  isSameRow,
  listChanges,
} from './frame-window.ts';
import { listOptionsOf, NO_FILTER, type Selection, useFrames } from './frames-store.ts';
import { SearchHits } from './search-hits.ts';
import { queryOf } from './search-query.ts';

/** Hits located at once to find one that passes the filter. */
const HITS_AT_ONCE = 256;

/** The selection of the frames panel, and its search. */
class FramesView {
  readonly hits = new SearchHits();
  readonly #rows: FrameWindow;
  #client: SessionClient | null = null;
  #leaveClient = (): void => undefined;
  #shown = recordingsLink.shown;

  constructor(rows: FrameWindow) {
    this.#rows = rows;
    followShown();
    // The panel may load after a recording was opened.
    if (this.#shown.recording && !this.#shown.isGrowing) useFrames.setState({ isFollowing: false });
    recordingsLink.onShown((shown) => {
      const before = this.#shown;
      this.#shown = shown;
      if (shown.recording?.id !== before.recording?.id) {
        this.clearSearch();
        useFrames.setState({ selection: null, isDetailOpen: false, isFollowing: shown.isGrowing });
      } else if (shown.layout !== before.layout) void this.#findAgain();
    });
    useFrames.subscribe((state, before) => {
      const options = listOptionsOf(state);
      if (!deepEqual(options, listOptionsOf(before))) recordingsLink.order(({ list }) => list(options));
    });
  }

  /** Follows the selection of a session, in place of the session before. */
  followSelection(client: SessionClient): void {
    if (client === this.#client) return;
    this.#client = client;
    this.#leaveClient();
    this.#leaveClient = client.selection.store.subscribe(({ selected, by }, before) => {
      if (selected && selected !== before.selected && by !== 'frames') void this.#follow(client, selected);
    });
  }

  async select(row: number): Promise<void> {
    const found = await this.#rows.current(row);
    if (!found) return;
    useFrames.setState({ selection: selectionOf(found) });
    this.#point(headOf(found));
  }

  /** Moves the selection by a number of rows. Without a selection, selects `inView`. */
  move(by: number, inView: number): void {
    const { rows } = recordingsLink.shown;
    if (rows === 0) return;
    const from = useFrames.getState().selection?.row;
    const to = from === null || from === undefined ? inView : from + by;
    void this.select(Math.min(Math.max(0, to), rows - 1));
  }

  /** Unfolds a run or folds it; of an entry it opens the detail. The row may be of a list before this one. */
  async open(seen: ListRow): Promise<void> {
    if (seen.type === 'run') openRun(seen, !seen.isOpen);
    // Following would move the opened row out of view.
    useFrames.setState({
      selection: { ...selectionOf(seen), row: isSameRow(this.#rows.row(seen.row), seen) ? seen.row : null },
      isFollowing: false,
      ...(seen.type === 'entry' && { isDetailOpen: true }),
    });
    this.#point(headOf(seen));
    if (!isSameRow(await this.#rows.current(seen.row), seen)) await this.#findAgain();
  }

  async openAt(row: number): Promise<void> {
    const found = await this.#rows.current(row);
    if (found) await this.open(found);
  }

  async setOpen(row: number, isOpen: boolean): Promise<void> {
    const found = await this.#rows.current(row);
    if (found?.type === 'run') openRun(found, isOpen);
  }

  search(typed: string): void {
    const query = queryOf(typed);
    this.hits.clear();
    listChanges.note();
    useFrames.setState({ searchNote: null });
    if (!query) recordingsLink.clearSearch();
    else {
      recordingsLink.search(query, (indexes) => {
        this.hits.add(indexes);
        listChanges.note();
      });
    }
  }

  clearSearch(): void {
    this.hits.clear();
    recordingsLink.clearSearch();
    useFrames.setState({ typed: '', searchNote: null });
    listChanges.note();
  }

  /** Selects the next hit that is in the list, or the one before. */
  async goToHit(step: 1 | -1): Promise<void> {
    const from = useFrames.getState().selection?.index ?? (step === 1 ? -1 : Number.MAX_SAFE_INTEGER);
    let left = this.hits.length;
    let after = from;
    while (left > 0) {
      const some = this.hits.around(after, step, Math.min(left, HITS_AT_ONCE));
      const rows = await recordingsLink.locate(some);
      const at = rows.findIndex((row) => row >= 0);
      const row = rows[at];
      const index = some[at];
      if (row !== undefined && index !== undefined) {
        const wentRound = from >= 0 && (step === 1 ? index <= from : index >= from);
        useFrames.setState({
          selection: { row, index, isRun: false },
          isFollowing: false,
          searchNote: wentRound && this.hits.length > 1 ? 'from the other end again' : null,
        });
        return;
      }
      left -= some.length;
      after = some.at(-1) ?? after;
    }
    if (this.hits.length > 0) useFrames.setState({ searchNote: 'all of them left out by the filter' });
  }

  /** Shows the nearest frame with a finding after the selected one (`step` 1) or before it. */
  async goToFinding(step: 1 | -1): Promise<void> {
    const { selection, withAdvice } = useFrames.getState();
    const index = await recordingsLink.query(
      ({ nextFinding }) => nextFinding(selection?.index ?? -1, step, withAdvice),
      -1,
    );
    if (index >= 0) await this.reveal(index);
  }

  /** Goes to the next or previous hit of the search; without hits, to a finding. */
  goOn(step: 1 | -1): void {
    if (this.hits.length > 0) void this.goToHit(step);
    else void this.goToFinding(step);
  }

  /** Shows an entry. Clears a filter that excludes it, and unfolds its run. */
  async reveal(index: number): Promise<void> {
    useFrames.setState({ isDetailOpen: true, isFollowing: false, isMissed: false });
    if ((await rowOf(index)) < 0) useFrames.setState(NO_FILTER);
    await this.#goTo(index);
  }

  missed(): void {
    useFrames.setState({ isMissed: true });
  }

  async #follow(client: SessionClient, selected: Selected): Promise<void> {
    // An older recording stays in view.
    if (!hasFramesOf(client)) return;
    const index = await frameOfSession(client, selected);
    if (index === null || client.selection.state.selected !== selected) return;
    useFrames.setState({ isFollowing: false });
    await this.#goTo(index);
  }

  async #goTo(index: number): Promise<void> {
    const row = await rowOf(index);
    useFrames.setState({ selection: { row: row < 0 ? null : row, index, isRun: false } });
    const found = row < 0 ? undefined : await this.#rows.current(row);
    if (found?.type !== 'run') return;
    openRun(found, true);
    // The row of the entry is below that of the run.
    const below = await rowOf(index);
    if (useFrames.getState().selection?.index === index) {
      useFrames.setState({ selection: { row: below, index, isRun: false } });
    }
  }

  /** Finds the row of the selected frame in a list that has changed. */
  async #findAgain(): Promise<void> {
    const { selection } = useFrames.getState();
    if (!selection) return;
    const { layout } = this.#shown;
    const { index, isRun } = selection;
    const row = await rowOf(index);
    // The row of an open run is just above that of its first entry.
    const above = isRun && row > 0 ? await this.#rows.current(row - 1) : undefined;
    const isOfRun = above?.type === 'run' && above.first.index === index;
    const { selection: now } = useFrames.getState();
    if (now?.index !== index || now.isRun !== isRun || this.#shown.layout !== layout) return;
    // Sets the row only once, because the list scrolls to each row that is set.
    useFrames.setState({ selection: { ...now, row: row < 0 ? null : isOfRun ? row - 1 : row } });
  }

  /** Selects a frame in the session, for the other panels. The turns of an older recording are not in them. */
  #point({ index, turn, chunk }: RecordHead): void {
    const client = this.#client;
    if (!client) return;
    const isOfSession = hasFramesOf(client);
    client.selection.select(
      {
        kind: 'frame',
        frame: numberOf(client, index),
        turn: isOfSession ? turn : null,
        chunk: isOfSession ? chunk : null,
      },
      'frames',
    );
  }
}

function openRun({ first, isOpen }: ListRow & { type: 'run' }, toOpen: boolean): void {
  if (isOpen !== toOpen) recordingsLink.order((calls) => calls.openRun(first.index, toOpen));
}

/** Returns the row of an entry; −1 where the filter excludes it. */
const rowOf = async (index: number): Promise<number> => (await recordingsLink.locate([index]))[0] ?? -1;

const selectionOf = (row: ListRow): Selection => ({
  row: row.row,
  index: headOf(row).index,
  isRun: row.type === 'run',
});

export const framesView = new FramesView(frameWindow);
