import { useSyncExternalStore } from 'react';
import { counted, seconds } from '#lib/format.ts';
import type { TurnView } from '#session/views.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectIsUnheard } from '../../session-client/session-state.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import type { LaneState, TimelineSpeaker } from './geometry/figures.ts';
import type { LaneBlock, StripName } from './geometry/lane-shape.ts';

const WALL =
  'The clock of text, chunks, audio frames and the buffer, counted from the first text of the shown turn.';
const AUDIO =
  'The audio clock counts the samples of each turn as they leave the speakers, and stops while there are none. The line shows where it ran.';
const DRIFT =
  'How far the audio clock is ahead of the wall clock (+) or behind it (−) since the sound output began to run, because two crystals never agree. Time in which it stopped does not count.';

export function AxisHead({ state, turnName }: { state: TimelineState; turnName: string }) {
  const driftMs = useDrift(state);
  return (
    <div className="sticky top-0 z-2 grid grid-rows-2 border-r border-b border-border bg-surface px-2 text-12 wide:pr-3 wide:pl-5">
      <p className="flex min-w-0 items-center gap-2">
        <Defined definition={WALL} className="shrink-0 text-text-muted">
          Wall clock
        </Defined>
        <span className="ml-auto truncate text-text-subtle max-wide:hidden">{turnName}</span>
      </p>
      <p className="flex min-w-0 items-center gap-2">
        <Defined definition={AUDIO} className="shrink-0 text-text-muted">
          Audio clock
        </Defined>
        {driftMs !== null && (
          <Defined definition={DRIFT} className="ml-auto truncate text-text-subtle max-wide:hidden">
            drift <span className="font-mono text-text">{signed(driftMs)}</span>
          </Defined>
        )}
      </p>
    </div>
  );
}

const signed = (ms: number): string =>
  `${ms > 0.05 ? '+' : ms < -0.05 ? '−' : '±'}${Math.abs(ms).toFixed(1)} ms`;

const useDrift = ({ marks }: TimelineState): number | null =>
  useSyncExternalStore(marks.subscribe, () => marks.latest(null, 'drift', 1)[0]?.amount ?? null);

interface LaneHeadProps {
  row: TimelineSpeaker;
  block: LaneBlock;
  state: LaneState;
  /** The turn of the figures beside the lanes of the only context. */
  turn: TurnView | undefined;
  /** Registers an element whose figure the painter writes; null when it is gone. */
  place: (key: string, element: HTMLElement | null) => void;
}

export const LaneHead = (props: LaneHeadProps) =>
  props.block.isOnly ? (
    STRIPS.map((text) => <StripHead key={text.strip} text={text} {...props} />)
  ) : (
    <SpeakerHead {...props} />
  );

interface StripText {
  strip: StripName;
  title: string;
  definition: string;
  /** The axis of the strip, if that is not the wall clock. */
  note?: string;
  /** Omitted for a figure that the painter writes as it changes. */
  figure?: (turn: TurnView) => string;
  /** Of a client whose hearing is unknown, where that differs. */
  unheard?: Pick<StripText, 'title' | 'definition' | 'note'>;
}

const STRIPS: readonly StripText[] = [
  {
    strip: 'text',
    title: 'Text sent',
    definition: 'A tick for each text frame, when it was sent; the thick one is the flush. Wall clock.',
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
    unheard: {
      title: 'Audio sent',
      definition: 'A tick for each audio frame, when the server sent it to the client. Wall clock.',
    },
    figure: ({ audioFrames }) => counted(audioFrames, 'frame'),
  },
  {
    strip: 'buffer',
    title: 'Buffer',
    definition: `${DEFINITIONS.buffer} Dotted: the prebuffer target. ${DEFINITIONS.prebufferTarget}`,
    unheard: { title: 'Least buffer', definition: DEFINITIONS.lead },
  },
  {
    strip: 'heard',
    title: 'Heard',
    definition:
      'The sound itself, when it left the speakers. The audio clock counts its samples and stops in silence; the line of the audio clock above relates both clocks.',
    note: 'audio clock',
    unheard: {
      title: 'Received by the client',
      definition:
        'The sound itself, from the first audio frame of the turn on: no client can play it earlier. When it really does is unknown here.',
    },
  },
];

function StripHead({ text, block, turn, place }: LaneHeadProps & { text: StripText }) {
  const isUnheard = useSession(selectIsUnheard);
  const { strip, figure } = text;
  const { title, definition, note } = (isUnheard && text.unheard) || text;
  return (
    <li
      style={{ height: block.strips[strip]?.height }}
      className="flex items-center gap-x-2 border-b border-border px-2 text-12 max-wide:flex-wrap max-wide:content-center wide:pr-3 wide:pl-5"
    >
      <Defined definition={definition} className="text-left text-text-muted">
        {title}
      </Defined>
      <span className={cx('min-w-0 text-right max-wide:text-left wide:ml-auto', figure && 'max-wide:hidden')}>
        <span
          ref={(element) => {
            if (!figure) place(`${block.id} ${strip}`, element);
          }}
          className="block font-mono whitespace-nowrap"
        >
          {figure ? turn && figure(turn) : seconds(0)}
        </span>
        {note && <span className="block text-text-subtle max-wide:hidden">{note}</span>}
      </span>
    </li>
  );
}

/** Below this height only the name fits. */
const LOW_PX = 60;

function SpeakerHead({ row, block, state: { tone, word }, place }: LaneHeadProps) {
  const isUnheard = useSession(selectIsUnheard);
  const words = isUnheard ? { heard: 'received', queued: 'ahead' } : { heard: 'heard', queued: 'queued' };
  return (
    <li
      data-voice={row.hue}
      style={{ height: block.height }}
      className="flex flex-col justify-center gap-1 border-b border-border px-2 text-12 wide:pr-3 wide:pl-5"
    >
      <div className="flex min-w-0 items-center gap-1">
        <span className="truncate font-mono text-voice">{row.name}</span>
        <span className="ml-auto shrink-0 max-wide:hidden">
          {tone === 'neutral' ? (
            <span className="text-text-subtle">{word}</span>
          ) : (
            <Badge tone={tone}>{word}</Badge>
          )}
        </span>
      </div>
      <dl className={cx('grid grid-cols-2 gap-x-2', block.height < LOW_PX && 'hidden')}>
        {(['heard', 'queued'] as const).map((name) => (
          <div key={name} className={cx(name === 'queued' && 'max-wide:hidden')}>
            <dt className="text-text-subtle">{words[name]}</dt>
            <dd
              ref={(element) => place(`${row.id} ${name}`, element)}
              className="font-mono whitespace-nowrap"
            >
              {seconds(0)}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
