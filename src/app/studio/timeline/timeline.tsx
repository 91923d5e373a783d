import { type KeyboardEvent, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { wallMs } from '#lib/wall-clock.ts';
import { useRegionLabel, useSession } from '../../session-client/provider.tsx';
import { selectIsUnheard } from '../../session-client/session-state.ts';
import { waitsFromMs } from '../../session-client/timeline/turn-lanes.ts';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { cx } from '../../ui/cx.ts';
import { Empty } from '../../ui/page.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { WaitStrip } from '../measures/wait-strip.tsx';
import { laneState } from './geometry/figures.ts';
import { stackedBlocks } from './geometry/lane-shape.ts';
import { AxisHead, LaneHead } from './heads.tsx';
import { onTimelineKey, stepped } from './keys.ts';
import { Minimap } from './minimap.tsx';
import { AXIS_HEIGHT } from './paint/paint-axis.ts';
import { type Hover, HoverNote, SpanNote } from './read-outs.tsx';
import type { Hit } from './spans.ts';
import { TimelineTable } from './timeline-table.tsx';
import { TimelineToolbar } from './tools.tsx';
import { useGestures, useWheel } from './use-gestures.ts';
import { showSelected, type TimelineModel, useTimelineModel } from './use-timeline-model.ts';
import { useTimelinePaint } from './use-timeline-paint.ts';

export function Timeline() {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TimelineToolbar className="roomy:hidden" />
      <Turns />
    </div>
  );
}

/** Renders for each change of a turn. */
function Turns() {
  const model = useTimelineModel();
  const { state, turn, rows, originMs, problems } = model;
  const isUnheard = useSession(selectIsUnheard);
  const speakName = useSettings(selectSpeakName);
  const asTable = useStore(state.look, (look) => look.asTable);
  if (rows.length === 0 || originMs === null) {
    return (
      <Empty className="mx-auto min-h-0 max-w-120 flex-1">
        {isUnheard
          ? 'Each turn of this client appears here on one time axis: its text, the chunks that the server makes of it, when each audio frame was sent, and how far ahead of real time that brings the client.'
          : `Each turn appears here on one time axis: text sent, chunks made, audio received, the buffer, and the sound when it was heard, with every silence the listener sat through. Press ${speakName}.`}
      </Empty>
    );
  }
  return (
    <>
      {turn && <WaitStrip turn={turn} onSegment={(segment) => state.look.setState({ segment })} />}
      {asTable ? (
        <TimelineTable rows={rows} state={state} originMs={originMs} problems={problems} />
      ) : (
        <Lanes model={model} />
      )}
    </>
  );
}

function Lanes({ model }: { model: TimelineModel }) {
  const { state, rows, contexts, turns, turn } = model;
  const { lanes, selection } = state;
  const label = useRegionLabel('Timeline lanes');
  const isMeasuring = useStore(state.look, (look) => look.isMeasuring);
  const [hover, setHover] = useState<Hover | null>(null);
  const axis = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const { blocks, height } = stackedBlocks(rows, model.isSingle);
  const painter = useTimelinePaint({ ...model, blocks, heightPx: height }, { axis, field, scroller });
  useWheel(scroller, field, state);

  const hoverAt = (at: { x: number; y: number } | null) => {
    const text = at && painter.itemAt(at.x, at.y)?.words;
    setHover((before) => {
      if (!at || !text) return null;
      return before?.text === text ? before : { text, ...at, isAbove: at.y > height / 2 };
    });
  };
  /** Plays from a point, if something was heard there. */
  const playAt = (plays: Hit['plays'] = null): boolean => {
    if (plays) model.play(plays.turn, plays.sample);
    return plays !== null;
  };
  const onField = useGestures(state, {
    press: (x, y) => {
      const hit = painter.itemAt(x, y);
      hoverAt({ x, y });
      selection.select(hit?.selects ?? null, 'timeline');
      // The next turn must not move away what a person looks at. A repeat stays in view.
      if (!playAt(hit?.plays) && hit?.selects) state.follow(false);
    },
    hover: (at) => {
      painter.point(at?.x ?? null);
      hoverAt(at);
    },
  });
  const onAxis = useGestures(state, {
    // The axis has no lanes: a press plays the first lane in which something was heard at that time.
    press: (x) => void blocks.some(({ top, height: px }) => playAt(painter.itemAt(x, top + px - 2)?.plays)),
    hover: (at) => {
      painter.point(at?.x ?? null);
      setHover(null);
    },
  });
  const onKeyDown = (event: KeyboardEvent) =>
    onTimelineKey(event, state, {
      anchorPx: () => painter.anchorPx(wallMs()),
      fitSession: () => state.fitSession(wallMs()),
      fitTurn: () => turn && state.fitTurn(turn, wallMs()),
      toStart: () => {
        const [first] = lanes.all;
        state.startAt((first && waitsFromMs(first)) ?? 0);
        state.follow(false);
      },
      step: (by) => {
        const next = stepped(lanes.all, selection.state.selected, by, turn?.id ?? 0);
        if (!next) return;
        selection.select(next, 'timeline');
        showSelected(state, next);
        state.follow(false);
      },
      play: () => playSelected(model),
    });

  return (
    <>
      <ScrollRegion
        ref={scroller}
        label={label}
        onKeyDown={onKeyDown}
        className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto outline-offset-[-2px]"
      >
        <div className={COLUMNS}>
          <AxisHead state={state} turnName={model.turnName} />
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
                turn={
                  turn?.context === block.id ? turn : turns.findLast(({ context }) => context === block.id)
                }
                state={laneState(
                  model.pending.filter(({ context }) => context === block.id),
                  contexts.find(({ id }) => id === block.id),
                  model.playheadAt(wallMs()) !== null,
                )}
                place={painter.place}
              />
            ))}
          </ul>
          <div className="relative min-w-0">
            <canvas
              ref={field}
              aria-hidden
              {...onField}
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
  );
}

const COLUMNS = 'grid grid-cols-[108px_minmax(0,1fr)] wide:grid-cols-[200px_minmax(0,1fr)]';

function playSelected({ state: { lanes, selection }, play }: TimelineModel): void {
  const { selected } = selection.state;
  const turn = selected?.turn == null ? undefined : lanes.turn(selected.turn);
  if (!selected || !turn) return;
  const chunkId = 'chunk' in selected ? selected.chunk : null;
  const chunk = turn.chunks.find(({ id }) => id === chunkId);
  const word = selected.kind === 'word' ? chunk?.words?.[selected.word] : undefined;
  const inChunk = ((word?.startMs ?? 0) / 1000) * (turn.sampleRate ?? 0);
  const underrun = selected.kind === 'underrun' ? turn.underruns[selected.underrun] : undefined;
  play(turn.id, Math.floor(underrun?.atSample ?? (chunk?.startSample ?? 0) + inChunk));
}
