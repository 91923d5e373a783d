import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  Clock,
  Plug,
  Search,
  Volume2,
} from 'lucide-react';
import { memo } from 'react';
import type { Severity } from '../../protocol/rules/rule.ts';
import type { Envelope } from '../../session/recording/envelope.ts';
import type { ListRow } from '../../session/recording/frame-list.ts';
import type { Direction, RecordHead } from '../../session/recording/record.ts';
import { bytes, counted, milliseconds, seconds } from '../format.ts';
import { cx } from '../ui/cx.ts';
import { gap, sinceStart } from './figures.ts';
import { rowFindings } from './findings/finding-count.ts';
import { LOOKS } from './findings/severity.ts';
import { cellClass } from './row-cells.ts';
import { RowWave } from './row-wave.tsx';

const DIRECTIONS: Record<Direction, { icon: typeof ArrowUp; word: string; tone: string }> = {
  out: { icon: ArrowUp, word: 'sent', tone: 'text-text-subtle' },
  in: { icon: ArrowDown, word: 'received', tone: 'text-text' },
  connection: { icon: Plug, word: 'connection', tone: 'text-text-muted' },
  player: { icon: Volume2, word: 'player', tone: 'text-text-muted' },
};

const RAN_DRY = { icon: Clock, word: 'player', tone: '' };

/** Id of a row, for `aria-activedescendant`. */
export const rowId = (listId: string, row: number): string => `${listId}-${row}`;

export interface FrameRowProps {
  id: string;
  at: number;
  heightPx: number;
  /** Undefined: not known yet. */
  row: ListRow | undefined;
  summary: string | undefined;
  /** Of audio, as soon as it is known. */
  envelope: Envelope | undefined;
  hue: number | null;
  hasContexts: boolean;
  withAdvice: boolean;
  isSelected: boolean;
  isHit: boolean;
}

/** One line of the list: a frame, or a run of audio frames. */
export const FrameRow = memo(function FrameRow(props: FrameRowProps) {
  const { id, at, heightPx, row, hue, hasContexts, isSelected, isHit } = props;
  const head = row && (row.type === 'run' ? row.first : row.head);
  const isAudio = typeof head?.audioMs === 'number';
  const isUnderrun = head?.direction === 'player' && head.kind === 'underrun';
  return (
    <tr
      id={id}
      data-row={at}
      aria-rowindex={at + 2}
      aria-selected={isSelected}
      aria-expanded={row?.type === 'run' ? row.isOpen : undefined}
      data-voice={hue ?? undefined}
      data-hit={isHit || undefined}
      style={{ height: heightPx }}
      className={cx(
        'relative flex cursor-default items-center gap-3 pr-4 pl-3 font-mono text-12 whitespace-nowrap',
        !isUnderrun && 'text-text-muted',
        isUnderrun && 'text-waiting',
        isSelected ? 'bg-selected' : isUnderrun ? 'bg-waiting/10' : 'hover:bg-hover',
        isAudio && 'before:absolute before:inset-y-0.5 before:left-0 before:w-0.5 before:bg-voice',
      )}
    >
      {row && head && <Cells {...props} row={row} head={head} hasContexts={hasContexts} />}
    </tr>
  );
});

function Cells({
  row,
  head,
  summary,
  envelope,
  hasContexts,
  withAdvice,
  isHit,
}: Pick<FrameRowProps, 'summary' | 'envelope' | 'hasContexts' | 'withAdvice' | 'isHit'> & {
  row: ListRow;
  head: RecordHead;
}) {
  const isUnderrun = head.direction === 'player' && head.kind === 'underrun';
  const { icon: Icon, word, tone } = isUnderrun ? RAN_DRY : DIRECTIONS[head.direction];
  const isRun = row.type === 'run';
  const findings = rowFindings(row.findings, withAdvice);
  // An underrun's own words and colour say that it is one.
  const hasProblem = !findings && !isUnderrun && !isRun && row.isProblem;
  return (
    <>
      <Cell id="index">
        {isHit && (
          <>
            <Search aria-hidden className="mr-1 inline size-3 align-[-1px] text-text" strokeWidth={2.25} />
            <span className="sr-only">found: </span>
          </>
        )}
        {head.index}
      </Cell>
      <Cell id="direction">
        <Icon aria-hidden className={cx('size-3.5', tone)} strokeWidth={1.75} />
        <span className="sr-only">{word}</span>
      </Cell>
      <Cell id="time">{sinceStart(head.atUs)}</Cell>
      <Cell id="gap" tone="text-text-subtle">
        {gap(row.gapUs)}
      </Cell>
      <Cell id="kind" tone={head.direction === 'out' || isUnderrun ? '' : 'text-text'}>
        {isRun ? (
          <span className="flex items-center gap-1">
            {row.isOpen ? (
              <ChevronDown aria-hidden className="size-3.5 shrink-0 text-text-subtle" strokeWidth={1.75} />
            ) : (
              <ChevronRight aria-hidden className="size-3.5 shrink-0 text-text-subtle" strokeWidth={1.75} />
            )}
            {head.kind}
            <span className="text-text-subtle">×{row.count.toLocaleString('en')}</span>
          </span>
        ) : (
          head.kind
        )}
      </Cell>
      {hasContexts && (
        <Cell id="context" tone="text-voice">
          {head.context ?? ''}
        </Cell>
      )}
      <Cell id="turn">{head.turn ?? ''}</Cell>
      <Cell id="chunk">{isRun ? '' : (head.chunk ?? '')}</Cell>
      <Cell id="summary">
        {envelope && <RowWave envelope={envelope} />}
        {findings && <FindingMark {...findings} isInside={isRun} />}
        {hasProblem && (
          <span className="mr-2 text-failed">
            <CircleAlert aria-hidden className="mr-1 inline size-3.5 align-[-2px]" strokeWidth={1.75} />
            problem
          </span>
        )}
        {isRun
          ? `${counted(row.count, 'audio frame')}, ${seconds(row.audioMs / 1000)} of audio in ${milliseconds(row.lengthUs / 1000)}`
          : summary}
      </Cell>
      <Cell id="size">{bytes(isRun ? row.bytes : head.bytes)}</Cell>
    </>
  );
}

/** How many findings there are, by the look of the worst. @param isInside somewhere in a run of frames */
function FindingMark({ total, worst, isInside }: { total: number; worst: Severity; isInside: boolean }) {
  const { icon: Icon, text, word } = LOOKS[worst];
  return (
    <span className={cx('mr-2', text)}>
      <Icon aria-hidden className="mr-1 inline size-3.5 align-[-2px]" strokeWidth={1.75} />
      {counted(total, 'finding')}
      {isInside && ' inside'}
      <span className="sr-only">{total === 1 ? `, ${word}` : `, the worst: ${word}`}: </span>
    </span>
  );
}

function Cell({
  id,
  tone = '',
  children,
}: {
  id: Parameters<typeof cellClass>[0];
  tone?: string;
  children: React.ReactNode;
}) {
  return <td className={cx(cellClass(id), tone)}>{children}</td>;
}
