import type { KeyboardEvent } from 'react';
import { deepEqual } from '#lib/deep-equal.ts';
import type { ChunkView, TurnView } from '#session/views.ts';
import type { Selected } from '../../session-client/selection.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';

export const ZOOM_STEP = 1.5;
const PAN_STEP_PX = 80;
const SPAN_STEP_PX = 8;

export interface KeyActions {
  /** The fixed point for zooming: the pointer, the play head or the middle, in px. */
  anchorPx(): number;
  fitSession(): void;
  fitTurn(): void;
  toStart(): void;
  /** Selects the next or previous word, or the chunk if its words have no times. */
  step(by: 1 | -1): void;
  play(): void;
}

/** Handles a key on the lanes. A handled key does not reach the page. */
export function onTimelineKey(event: KeyboardEvent, state: TimelineState, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const zoom = (factor: number) => state.move((of) => of.zoom(factor, actions.anchorPx()));
  const pan = (px: number) => state.move((of) => of.pan(px));
  const span = (px: number) => {
    const { scale } = state;
    if (!scale) return;
    const anchorMs = scale.toMs(actions.anchorPx());
    const { fromMs, toMs } = state.look.getState().span ?? { fromMs: anchorMs, toMs: anchorMs };
    state.look.setState({ span: { fromMs, toMs: Math.max(fromMs, toMs + px * scale.msPerPx) } });
  };
  const isSpan = event.shiftKey;
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(ZOOM_STEP),
    '=': () => zoom(ZOOM_STEP),
    '-': () => zoom(1 / ZOOM_STEP),
    ArrowLeft: () => (isSpan ? span(-SPAN_STEP_PX) : pan(-PAN_STEP_PX)),
    ArrowRight: () => (isSpan ? span(SPAN_STEP_PX) : pan(PAN_STEP_PX)),
    Home: actions.toStart,
    End: () => state.follow(true),
    f: actions.fitSession,
    t: actions.fitTurn,
    j: () => actions.step(1),
    k: () => actions.step(-1),
    Enter: actions.play,
  };
  // Esc cancels speech on the page, but the first press clears a span.
  const clearsSpan = event.key === 'Escape' && state.look.getState().span !== null;
  const action = clearsSpan ? () => state.look.setState({ span: null }) : keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/**
 * Returns the word before or after the selected one, across chunks and turns. A chunk without words counts as a word.
 * Without a selection, starts in `startTurn`. Null at the ends.
 */
export function stepped(
  turns: readonly (Pick<TurnView, 'id'> & {
    chunks: readonly Pick<ChunkView, 'id' | 'words' | 'samples'>[];
  })[],
  selected: Selected | null,
  by: 1 | -1,
  startTurn: number,
): Selected | null {
  const from = selected && selected.turn !== null ? selected.turn : startTurn;
  const at = turns.findIndex(({ id }) => id === from);
  if (at < 0) return null;
  // A step rarely crosses more than one turn, unless turns without audio are between.
  const stops: Selected[] = [];
  for (const turn of turns.slice(Math.max(0, at - 8), at + 9)) {
    for (const { id, words, samples } of turn.chunks) {
      if (samples === 0) continue;
      if (!words || words.length === 0) stops.push({ kind: 'chunk', turn: turn.id, chunk: id });
      for (let word = 0; word < (words?.length ?? 0); word += 1) {
        stops.push({ kind: 'word', turn: turn.id, chunk: id, word });
      }
    }
  }
  const now = stops.findIndex((stop) => deepEqual(stop, selected));
  if (now >= 0) return stops[now + by] ?? null;
  const near = stops.filter(
    (stop) =>
      stop.turn === from &&
      (selected?.kind !== 'chunk' || (stop.kind === 'word' && stop.chunk === selected.chunk)),
  );
  return (by > 0 ? near[0] : near.at(-1)) ?? null;
}
