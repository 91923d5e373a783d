import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { wallMs } from '#lib/wall-clock.ts';
import type { Listening } from '#recordings/format/user-actions.ts';
import type { ContextView, Problem, TurnView } from '#session/views.ts';
import { useRegionLabel } from '../../session-client/provider.tsx';
import type { Selected } from '../../session-client/selection.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { cx } from '../../ui/cx.ts';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { selectedItems } from './geometry/display-list.ts';
import { laneFigures, laneRows, laneState, type TimelineSpeaker } from './geometry/figures.ts';
import { playFrom, selectedBy } from './geometry/hit.ts';
import { stackedBlocks } from './geometry/lane-shape.ts';
import { describeItem } from './geometry/wording.ts';
import { AxisHead, LaneHead } from './heads.tsx';
import { onTimelineKey, stepped } from './keys.ts';
import { Minimap } from './minimap.tsx';
import { AXIS_HEIGHT } from './paint/paint-axis.ts';
import { type Hover, HoverNote, SpanNote } from './read-outs.tsx';
import { TimelineTable } from './timeline-table.tsx';
import { useGestures, useWheel } from './use-gestures.ts';
import { type Head, useTimelinePaint } from './use-timeline-paint.ts';

export interface TimelinePanelProps {
  state: TimelineState;
  /** In order of speaking. */
  turns: readonly TurnView[];
  /** Empty on an endpoint with one context. */
  contexts: readonly ContextView[];
  /** A block each, in this order; on an endpoint with one context its one voice. */
  speakers: readonly TimelineSpeaker[];
  /** The turn whose figures are shown and whose first text is zero; undefined before the first. */
  turn: TurnView | undefined;
  /** What that turn is called. */
  turnName: string;
  /** What is heard now; null while nothing is. Called while painting. */
  playHead: (nowMs: number) => Head | null;
  /** The endpoint has several contexts. */
  isScene: boolean;
  /** How lines are heard, which tells when those in the queue will be. */
  listening: Listening;
  pauseMs: number;
  /** Their words stand at the marks of errors. */
  problems: readonly Problem[];
  /** Plays a turn from a sample, where nothing else goes on. */
  onPlay: (turn: number, fromSample: number) => void;
  /** Between the tools and the lanes. */
  strip: ReactNode;
}

/** Every context's turns on one time axis with two clocks: sent, made, received, buffered, heard. */
export function TimelinePanel(props: TimelinePanelProps) {
  const { state, turns, contexts, speakers, turn, problems } = props;
  const label = useRegionLabel('Timeline lanes');
  const { asTable, unfolded, isMeasuring } = useStore(state.look);
  const [hover, setHover] = useState<Hover | null>(null);
  const axis = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const { lanes, marks } = state;
  useMemo(() => lanes.update(turns), [lanes, turns]);
  useLaneCount(state);
  const rows = laneRows(speakers, lanes, marks, contexts);
  const isSingle = !props.isScene && rows.length === 1;
  const { blocks, height } = stackedBlocks(rows, (id) => unfolded.has(id), isSingle);
  const originMs = turn?.firstTextMs ?? lanes.all[0]?.firstTextMs ?? null;
  const isEmpty = rows.length === 0 || originMs === null;
  const isThere = !asTable && !isEmpty;
  const painter = useTimelinePaint(
    state,
    {
      rows,
      blocks,
      heightPx: height,
      originMs,
      turn,
      isSingle,
      playHead: props.playHead,
      listening: props.listening,
      pauseMs: props.pauseMs,
    },
    { axis, field, scroller },
    isThere,
  );
  useWheel(scroller, field, state, isThere);
  useShowSelected(state);

  /** Describes the item at a point beside it. */
  const describeAt = (at: { x: number; y: number } | null) => {
    const found = at && painter.itemAt(at.x, at.y);
    const text = found && describeItem(found.item, found.ms, state, problems);
    setHover((before) => {
      if (at === null || text === null) return null;
      return before?.text === text ? before : { text, ...at, isAbove: at.y > height / 2 };
    });
  };
  /** Plays from a point, where something was heard there. */
  const playAt = (found: ReturnType<typeof painter.itemAt>): boolean => {
    const from = found && playFrom(found.item, found.ms);
    if (from) props.onPlay(from.turn, from.sample);
    return from !== null;
  };
  const gestures = useGestures(state, {
    press: (x, y) => {
      const found = painter.itemAt(x, y);
      describeAt({ x, y });
      state.selection.select(found && selectedBy(found.item), 'timeline');
      playAt(found);
    },
    hover: (at) => {
      painter.point(at?.x ?? null);
      describeAt(at);
    },
  });
  const onAxis = useGestures(state, {
    // The axis has no lanes: a press plays the first lane in which something was heard at that time.
    press: (x) => void blocks.some(({ top, height: px }) => playAt(painter.itemAt(x, top + px - 2))),
    hover: (at) => {
      painter.point(at?.x ?? null);
      setHover(null);
    },
  });
  const press = (event: KeyboardEvent) =>
    onTimelineKey(event, state, {
      anchorPx: () => painter.anchorPx(wallMs()),
      fitSession: () => state.fitSession(wallMs()),
      fitTurn: () => turn && state.fitTurn(turn, wallMs()),
      toStart: () => {
        state.startAt(lanes.all[0]?.firstTextMs ?? 0);
        state.follow(false);
      },
      step: (by) => {
        const next = stepped(lanes.all, state.selection.state.selected, by, turn?.id ?? 0);
        if (!next) return;
        state.selection.select(next, 'timeline');
        showItems(state, next);
      },
      play: () => playSelected(state, props.onPlay),
    });

  if (isEmpty) return <Empty />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      {props.strip}
      {asTable ? (
        <TimelineTable rows={rows} state={state} originMs={originMs} problems={problems} />
      ) : (
        <>
          <ScrollRegion
            ref={scroller}
            label={label}
            onKeyDown={press}
            className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-offset-[-2px]"
          >
            <div className={COLUMNS}>
              <AxisHead state={state} turnName={props.turnName} />
              <canvas
                ref={axis}
                aria-hidden
                {...onAxis}
                className="sticky top-0 z-2 block w-full cursor-grab touch-pan-y border-b border-border bg-surface"
                style={{ height: AXIS_HEIGHT }}
              />
              <ul aria-label="Lanes" className="border-r border-border">
                {blocks.map((block, at) => (
                  <LaneHead
                    key={block.id}
                    row={rows[at] ?? { id: block.id, name: block.id, hue: block.hue }}
                    block={block}
                    turn={turn?.context === block.id ? turn : lanes.lane(block.id).turns.at(-1)}
                    state={laneState(
                      lanes.pending.filter(({ context }) => context === block.id),
                      contexts.find(({ id }) => id === block.id),
                      props.playHead(wallMs()) !== null,
                    )}
                    figures={laneFigures(block.id, lanes, wallMs())}
                    place={painter.place}
                    onUnfold={() => state.toggleUnfolded(block.id)}
                  />
                ))}
              </ul>
              <div className="relative min-w-0">
                <canvas
                  ref={field}
                  aria-hidden
                  {...gestures}
                  className={cx(
                    'block w-full touch-pan-y',
                    isMeasuring ? 'cursor-crosshair' : 'cursor-grab active:cursor-grabbing',
                  )}
                  style={{ height }}
                />
                {hover && <HoverNote {...hover} />}
              </div>
            </div>
          </ScrollRegion>
          <SpanNote state={state} nowMs={wallMs()} />
          <div className={`${COLUMNS} shrink-0 border-t border-border`}>
            <p className="flex items-center border-r border-border px-2 text-12 text-text-subtle wide:pl-5">
              Session
            </p>
            <Minimap state={state} rows={rows} />
          </div>
        </>
      )}
    </div>
  );
}

const COLUMNS = 'grid grid-cols-[108px_minmax(0,1fr)] wide:grid-cols-[200px_minmax(0,1fr)]';

function Empty() {
  return (
    <p className="mx-auto grid h-full max-w-120 place-items-center p-6 text-center text-13 text-text-muted">
      Each turn will stand here on one time axis: text sent, chunks made, audio received, the buffer, and the
      sound where it was heard, with every silence the listener sat through. Press Speak.
    </p>
  );
}

/** A mark may open a lane of its own: the column at the left is React's, the lanes are not. */
function useLaneCount({ marks }: TimelineState): void {
  const [, setCount] = useState(0);
  useEffect(() => marks.subscribe(() => setCount([...marks.lanes].length)), [marks]);
}

/** What was selected elsewhere is brought into view. */
function useShowSelected(state: TimelineState): void {
  useEffect(
    () =>
      state.selection.store.subscribe(({ selected, by }, before) => {
        if (!selected || selected === before.selected || by === 'timeline') return;
        showItems(state, selected);
      }),
    [state],
  );
}

function showItems(state: TimelineState, selected: Selected): void {
  const [item] = selectedItems(selected, { lanes: state.lanes, marks: state.marks, nowMs: wallMs() });
  if (item) state.show(item.fromMs, item.toMs);
}

function playSelected({ lanes, selection }: TimelineState, onPlay: TimelinePanelProps['onPlay']): void {
  const { selected } = selection.state;
  const turn = selected?.turn == null ? undefined : lanes.turn(selected.turn);
  if (!selected || !turn) return;
  const chunkId = 'chunk' in selected ? selected.chunk : null;
  const chunk = turn.chunks.find(({ id }) => id === chunkId);
  const word = selected.kind === 'word' ? chunk?.words?.[selected.word] : undefined;
  const inChunk = ((word?.startMs ?? 0) / 1000) * (turn.sampleRate ?? 0);
  const underrun = selected.kind === 'underrun' ? turn.underruns[selected.underrun] : undefined;
  onPlay(turn.id, Math.floor(underrun?.atSample ?? (chunk?.startSample ?? 0) + inChunk));
}
