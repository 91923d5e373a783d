import { createStore } from 'zustand/vanilla';
import type { TurnView } from '#session/views.ts';
import { Listeners } from '../../browser/listeners.ts';
import type { SessionSelection } from '../selection.ts';
import type { EnvelopeStore } from './envelope-store.ts';
import type { LaneStore } from './lane-store.ts';
import { TimeScale } from './time-scale.ts';
import { type SegmentName, TurnLanes, waitsFromMs } from './turn-lanes.ts';

/** Empty space before the first text, which shows that nothing came earlier. */
const LEAD_PX = 8;
const MARGIN_PX = 48;
/** Lost audio at the end of a session extends it by no more than this. */
const SHOWN_LOST_MS = 2000;

export interface TimelineLook {
  isFollowing: boolean;
  asTable: boolean;
  /** The measured span; wall clock. */
  span: { fromMs: number; toMs: number } | null;
  /** Dragging draws a span also without Shift. */
  isMeasuring: boolean;
  segment: SegmentName | null;
}

/**
 * The timeline of one session without React and canvas: data, time scale and settings. The scale is no part of the store,
 * because it changes with every frame. Calls `repaint` after every change of the scale or the settings.
 */
export class TimelineState {
  readonly lanes = new TurnLanes();
  readonly marks: LaneStore;
  readonly envelopes: EnvelopeStore;
  readonly selection: SessionSelection;
  readonly look = createStore<TimelineLook>()(() => ({
    isFollowing: true,
    asTable: false,
    span: null,
    isMeasuring: false,
    segment: null,
  }));
  readonly #repaint: () => void;
  readonly #scaled = new Listeners();
  /** Calls back after every change of the scale. Returns the function that ends the subscription. */
  readonly onScale = this.#scaled.add;
  #scale: TimeScale | null = null;
  /** Zero of the axis as it was painted last. */
  originMs: number | null = null;
  /** Grows with every change of the scale or the settings. */
  revision = 0;

  constructor(marks: LaneStore, envelopes: EnvelopeStore, selection: SessionSelection, repaint: () => void) {
    this.marks = marks;
    this.envelopes = envelopes;
    this.selection = selection;
    this.#repaint = repaint;
    this.look.subscribe(() => {
      this.revision += 1;
      repaint();
    });
  }

  /** Null before the first picture. */
  get scale(): TimeScale | null {
    return this.#scale;
  }

  set scale(scale: TimeScale | null) {
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.#scaled.call();
    this.revision += 1;
    this.#repaint();
  }

  /** Changes the view, which ends following. */
  move(change: (of: TimeScale) => TimeScale): void {
    if (!this.#scale) return;
    this.scale = change(this.#scale);
    if (this.look.getState().isFollowing) this.look.setState({ isFollowing: false });
  }

  follow(isFollowing: boolean): void {
    this.look.setState({ isFollowing });
  }

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
    const fromMs = waitsFromMs(turn);
    if (fromMs !== null) this.fit(fromMs, endOf(turn, nowMs));
  }

  show(fromMs: number, toMs: number): void {
    if (!this.#scale) return;
    const shown = this.#scale.showing(fromMs, toMs, MARGIN_PX);
    if (shown !== this.#scale) this.move(() => shown);
  }

  /** From the first text, or the question before it, to the last event of the session; null before the first. */
  extent(nowMs: number): { fromMs: number; toMs: number } | null {
    const [first] = this.lanes.all;
    const fromMs = first ? waitsFromMs(first) : null;
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

  lookLike(other: TimelineState): void {
    const { asTable, isMeasuring } = other.look.getState();
    this.look.setState({ asTable, isMeasuring });
    this.scale = other.scale;
  }
}

/** Keeps two timelines at the same zoom and the same distance from the zero of each. Returns the function that ends it. */
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

/** The last event of a turn; now for a live turn. */
function endOf(turn: TurnView, nowMs: number): number {
  if (turn.heardToMs !== null) return Math.max(turn.heardToMs, turn.endedMs ?? 0);
  if (turn.heardFromMs === null && turn.endedMs !== null) return turn.endedMs;
  return nowMs;
}
