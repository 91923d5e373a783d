import { createStore } from 'zustand/vanilla';
import type { TurnView, WaitSegment } from '#session/views.ts';
import type { Selection } from '../selection.ts';
import type { EnvelopeStore } from './envelope-store.ts';
import type { LaneStore } from './lane-store.ts';
import { TimeScale } from './time-scale.ts';
import { TurnLanes } from './turn-lanes.ts';

/** Before the first text, so that it is seen to be the first. */
const LEAD_PX = 8;
const MARGIN_PX = 48;
/** Of what was never heard at the end of the session, so much is enough to see that there is. */
const SHOWN_LOST_MS = 2000;

/** What the person has set about the timeline; React shows it. */
export interface TimelineLook {
  isFollowing: boolean;
  asTable: boolean;
  /** A stretch that was drawn to measure it; wall clock. */
  span: { fromMs: number; toMs: number } | null;
  /** Dragging draws a span, without Shift. */
  isMeasuring: boolean;
  /** The part of the wait that is pointed at. */
  segment: WaitSegment['name'] | null;
  /** Speakers whose block shows a lane for each thing. */
  unfolded: ReadonlySet<string>;
}

/**
 * The timeline apart from React and canvas: all data, the one time scale, and what the person has set. The scale moves
 * with every frame and is outside of the store; `repaint` is called whenever something is to be painted anew.
 */
export class TimelineState {
  readonly lanes = new TurnLanes();
  readonly marks: LaneStore;
  readonly envelopes: EnvelopeStore;
  readonly selection: Selection;
  readonly look = createStore<TimelineLook>()(() => ({
    isFollowing: true,
    asTable: false,
    span: null,
    isMeasuring: false,
    segment: null,
    unfolded: new Set<string>(),
  }));
  readonly #repaint: () => void;
  readonly #scaleListeners = new Set<() => void>();
  #scale: TimeScale | null = null;
  /** Zero of the axis as it was painted last. */
  originMs: number | null = null;
  /** Grows with every change of the scale, for who paints. */
  revision = 0;

  constructor(marks: LaneStore, envelopes: EnvelopeStore, selection: Selection, repaint: () => void) {
    this.marks = marks;
    this.envelopes = envelopes;
    this.selection = selection;
    this.#repaint = repaint;
    this.look.subscribe(() => {
      this.revision += 1;
      repaint();
    });
  }

  /** Null before it was painted for the first time. */
  get scale(): TimeScale | null {
    return this.#scale;
  }

  set scale(scale: TimeScale | null) {
    if (scale === this.#scale) return;
    this.#scale = scale;
    for (const listener of this.#scaleListeners) listener();
    this.revision += 1;
    this.#repaint();
  }

  /** Calls back after every change of the scale; returns what ends the subscription. */
  onScale(listener: () => void): () => void {
    this.#scaleListeners.add(listener);
    return () => this.#scaleListeners.delete(listener);
  }

  /** Somebody looks elsewhere: following ends. */
  move(change: (of: TimeScale) => TimeScale): void {
    if (!this.#scale) return;
    this.scale = change(this.#scale);
    if (this.look.getState().isFollowing) this.look.setState({ isFollowing: false });
  }

  follow(isFollowing: boolean): void {
    this.look.setState({ isFollowing });
  }

  /** A moment at the left edge, as close as before. */
  startAt(ms: number): void {
    if (!this.#scale) return;
    const { msPerPx, widthPx } = this.#scale;
    this.scale = new TimeScale(ms - LEAD_PX * msPerPx, msPerPx, widthPx);
  }

  fit(fromMs: number, toMs: number): void {
    this.move((of) => {
      const { msPerPx } = TimeScale.fit(fromMs, Math.max(toMs, fromMs + 200), of.widthPx);
      return new TimeScale(fromMs - LEAD_PX * msPerPx, msPerPx, of.widthPx);
    });
  }

  fitSession(nowMs: number): void {
    const extent = this.extent(nowMs);
    if (extent) this.fit(extent.fromMs, extent.toMs);
  }

  fitTurn(turn: TurnView, nowMs: number): void {
    if (turn.firstTextMs !== null) this.fit(turn.firstTextMs, endOf(turn, nowMs));
  }

  /** Moves only where it is out of view. */
  show(fromMs: number, toMs: number): void {
    if (!this.#scale) return;
    const shown = this.#scale.showing(fromMs, toMs, MARGIN_PX);
    if (shown !== this.#scale) this.move(() => shown);
  }

  /** From the first text to the last of what happened; null while nothing has. */
  extent(nowMs: number): { fromMs: number; toMs: number } | null {
    const [first] = this.lanes.all;
    const fromMs = first?.firstTextMs ?? null;
    if (fromMs === null) return null;
    let toMs = fromMs + 1000;
    for (const id of this.lanes.ids) {
      const { turns, lost } = this.lanes.lane(id);
      const last = turns.at(-1);
      const cut = lost.at(-1);
      const lostMs = cut ? Math.min(cut.toMs, cut.fromMs + SHOWN_LOST_MS) : 0;
      if (last) toMs = Math.max(toMs, endOf(last, nowMs), lostMs);
    }
    return { fromMs, toMs };
  }

  /** Shows time as another timeline does: as close, as a table or not, with the same lanes open. */
  lookLike(other: TimelineState): void {
    const { asTable, isMeasuring, unfolded } = other.look.getState();
    this.look.setState({ asTable, isMeasuring, unfolded });
    this.scale = other.scale;
  }

  toggleUnfolded(id: string): void {
    const unfolded = new Set(this.look.getState().unfolded);
    if (!unfolded.delete(id)) unfolded.add(id);
    this.look.setState({ unfolded });
  }
}

/**
 * Keeps two timelines on one axis: as close, and equally far from the zero of each, whichever of them is moved. Returns
 * what ends it.
 */
export function shareAxis(a: TimelineState, b: TimelineState): () => void {
  let isCopying = false;
  const copy = (from: TimelineState, to: TimelineState) => () => {
    const { scale, originMs } = from;
    if (isCopying || !scale || !to.scale || originMs === null || to.originMs === null) return;
    isCopying = true;
    to.scale = new TimeScale(to.originMs + scale.startMs - originMs, scale.msPerPx, to.scale.widthPx);
    isCopying = false;
  };
  const leaves = [a.onScale(copy(a, b)), b.onScale(copy(b, a))];
  return () => {
    for (const leave of leaves) leave();
  };
}

/** The last that is known of a turn, or now. */
function endOf(turn: TurnView, nowMs: number): number {
  if (turn.heardToMs !== null) return Math.max(turn.heardToMs, turn.endedMs ?? 0);
  if (turn.heardFromMs === null && turn.endedMs !== null) return turn.endedMs;
  return nowMs;
}
