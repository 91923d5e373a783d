import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { counted, seconds } from '#lib/format.ts';
import type { TurnView } from '#session/views.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import type { LaneFigures, LaneState, TimelineSpeaker } from './geometry/figures.ts';
import type { LaneBlock, StripName } from './geometry/lane-shape.ts';

/** Takes elements whose figures the painter writes; null when they are gone. */
export type PlaceFigure = (key: string, element: HTMLElement | null) => void;

export interface LaneHeadProps {
  row: TimelineSpeaker;
  block: LaneBlock;
  state: LaneState;
  figures: LaneFigures;
  /** The turn whose figures stand beside open lanes. */
  turn: TurnView | undefined;
  place: PlaceFigure;
  onUnfold: () => void;
}

/** What stands left of a context's block. */
export function LaneHead(props: LaneHeadProps) {
  const { block, turn, place } = props;
  if (!block.isOpen) return <SpeakerHead {...props} />;
  return (
    <>
      {block.headHeight > 0 && <UnfoldedHead {...props} />}
      {LANES.map((lane) => (
        <OpenHead key={lane.strip} lane={lane} block={block} turn={turn} place={place} />
      ))}
    </>
  );
}

interface Lane {
  strip: StripName;
  title: string;
  definition: string;
  /** What the axis of it is, where that is not the wall clock. */
  note?: string;
  figure: (turn: TurnView) => string;
  /** Written by the painter while it changes. */
  isLive?: true;
}

const LANES: readonly Lane[] = [
  {
    strip: 'text',
    title: 'Text sent',
    definition: 'A tick for each text frame, when it went out; the thick one is the flush. Wall clock.',
    figure: ({ textFrames }) => counted(textFrames, 'frame'),
  },
  {
    strip: 'chunks',
    title: 'Chunks',
    definition: 'From the start of generation until the server said that the chunk is complete. Wall clock.',
    figure: ({ chunks }) =>
      chunks.length === 0
        ? 'none'
        : `${chunks.filter(({ completedMs }) => completedMs !== null).length} of ${chunks.length} done`,
  },
  {
    strip: 'audio',
    title: 'Audio received',
    definition: 'A tick for each audio frame, when it arrived. Wall clock.',
    figure: ({ audioFrames }) => counted(audioFrames, 'frame'),
  },
  {
    strip: 'buffer',
    title: 'Buffer',
    definition: `${DEFINITIONS.buffer} Dotted: the start floor. ${DEFINITIONS.floor}`,
    figure: () => '',
    isLive: true,
  },
  {
    strip: 'heard',
    title: 'Heard',
    definition:
      'The sound itself, where it left the speakers. It is laid out by the audio clock, which counts samples and stands still in silence; the line of it above shows how both clocks lie to one another.',
    note: 'audio clock',
    figure: () => '',
    isLive: true,
  },
];

function OpenHead({
  lane,
  block,
  turn,
  place,
}: {
  lane: Lane;
  block: LaneBlock;
  turn: TurnView | undefined;
  place: PlaceFigure;
}) {
  const { strip, title, definition, note, figure, isLive } = lane;
  return (
    <li
      style={{ height: block.strips[strip]?.height }}
      className="flex items-center gap-x-2 border-b border-border px-2 text-12 max-wide:flex-wrap max-wide:content-center wide:pr-3 wide:pl-5"
    >
      <Defined definition={definition} className="text-text-muted">
        {title}
      </Defined>
      <span
        className={cx('min-w-0 text-right max-wide:text-left wide:ml-auto', !isLive && 'max-wide:hidden')}
      >
        <span
          ref={(element) => {
            if (isLive) place(`${block.id} ${strip}`, element);
          }}
          className="block font-mono whitespace-nowrap"
        >
          {isLive ? seconds(0) : turn ? figure(turn) : ''}
        </span>
        {note && <span className="block text-text-subtle max-wide:hidden">{note}</span>}
      </span>
    </li>
  );
}

function UnfoldedHead({ row, block, state, onUnfold }: LaneHeadProps) {
  return (
    <li
      data-voice={row.hue}
      style={{ height: block.headHeight }}
      className="flex items-center gap-2 border-b border-border px-1 text-12 wide:pr-3"
    >
      <IconButton
        size="tiny"
        icon={ChevronDown}
        label={`Fold the lanes of ${row.name}`}
        aria-expanded
        onClick={onUnfold}
      />
      <span className="truncate font-mono text-voice">{row.name}</span>
      <span className="ml-auto shrink-0 max-wide:hidden">{stateOf(state)}</span>
    </li>
  );
}

const stateOf = (state: LaneState): ReactNode =>
  state.tone === 'neutral' ? (
    <span className="text-text-subtle">{state.word}</span>
  ) : (
    <Badge tone={state.tone}>{state.word}</Badge>
  );

/** Who speaks in a lane, what it is doing, and how much of it was heard. */
function SpeakerHead({ row, block, state, figures, place, onUnfold }: LaneHeadProps) {
  const { height } = block;
  const isLow = height < 60;
  return (
    <li
      data-voice={row.hue}
      style={{ height }}
      className="flex flex-col justify-center gap-1 border-b border-border px-1 text-12 wide:pr-3"
    >
      <div className="flex min-w-0 items-center gap-1">
        <IconButton
          size="tiny"
          icon={ChevronRight}
          label={`Unfold the lanes of ${row.name}`}
          aria-expanded={false}
          onClick={onUnfold}
        />
        <span className="truncate font-mono text-voice">{row.name}</span>
        <span className="ml-auto shrink-0 max-wide:hidden">{stateOf(state)}</span>
      </div>
      <dl className={cx('grid grid-cols-2 gap-x-2 pl-7 max-wide:pl-2', isLow && 'hidden')}>
        {(['heard', 'queued'] as const).map((name) => (
          <div key={name} className={cx(name === 'queued' && 'max-wide:hidden')}>
            <dt className="text-text-subtle">{name}</dt>
            <dd
              ref={(element) => place(`${row.id} ${name}`, element)}
              className="font-mono whitespace-nowrap"
            >
              {seconds(name === 'heard' ? figures.heardSeconds : figures.queuedSeconds)}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
