import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  ChevronRight,
  CircleAlert,
  Clock,
  type LucideIcon,
  Plug,
  Search,
  Volume2,
  Zap,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { audioLength, bytes, count, counted, milliseconds } from '#lib/format.ts';
import type { Severity } from '#protocol/core/rule.ts';
import type { Envelope } from '#recordings/view/envelope.ts';
import { gap, sinceStart } from '#recordings/view/figures.ts';
import type { ShownRow } from '#recordings/view/frame-list.ts';
import { type Direction, FAULT_KIND, type RecordHead } from '#trace/entry.ts';
import { cx } from '../../../ui/cx.ts';
import { rowFindings } from '../findings/finding-count.ts';
import { LOOKS } from '../findings/severity.ts';
import { headOf } from '../view/frame-window.ts';
import { type ColumnId, cellClass } from './row-cells.ts';

/** The label names the icon, because hidden text would be a paint layer in each row. */
const direction = (Icon: LucideIcon, word: string, tone: string) => (
  <Icon role="img" aria-label={word} className={cx('size-3.5 overflow-visible', tone)} />
);

const DIRECTIONS: Record<Direction, ReactNode> = {
  out: direction(ArrowUp, 'sent', 'text-text-subtle'),
  in: direction(ArrowDown, 'received', 'text-text'),
  connection: direction(Plug, 'connection', 'text-text-muted'),
  player: direction(Volume2, 'player', 'text-text-muted'),
};

const RAN_DRY = direction(Clock, 'player', '');
const STRUCK = direction(Zap, 'fault on purpose', '');

const isUnderrun = ({ direction: from, kind }: RecordHead): boolean =>
  from === 'player' && kind === 'underrun';
const isFault = ({ direction: from, kind }: RecordHead): boolean =>
  from === 'connection' && kind === FAULT_KIND;

const chevron = (Icon: LucideIcon) => (
  <Icon className="size-3.5 shrink-0 overflow-visible text-text-subtle" />
);
const OPEN = chevron(ChevronDown);
const CLOSED = chevron(ChevronRight);

const FOUND = (
  <Search
    key="found"
    role="img"
    aria-label="found"
    className="mr-1 inline size-3 overflow-visible align-[-1px] text-text"
    strokeWidth={2.25}
  />
);

/** The voice of an audio frame along the row's edge: a background, because an element would be a paint layer. */
const VOICE_BAR =
  'bg-[linear-gradient(var(--voice),var(--voice))] bg-[length:2px_calc(100%-4px)] bg-left bg-no-repeat';

/** A bar in place of the text of a row that has not arrived, so that fast scrolling shows no empty list. */
const UNKNOWN =
  'bg-[linear-gradient(var(--border),var(--border))] bg-[length:40%_8px] bg-[position:12px_center] bg-no-repeat';

export const rowId = (listId: string, row: number): string => `${listId}-${row}`;

interface FrameRowProps {
  id: string;
  at: number;
  heightPx: number;
  /** Undefined: not known yet. */
  row: ShownRow | undefined;
  hue: number | null;
  hasContexts: boolean;
  withAdvice: boolean;
  isSelected: boolean;
  isHit: boolean;
}

export const FrameRow = memo(function FrameRow(props: FrameRowProps) {
  const { id, at, heightPx, row, hue, isSelected, isHit } = props;
  const head = row && headOf(row);
  const isAudio = head?.kind === 'audio';
  const isTrouble = head !== undefined && (isUnderrun(head) || isFault(head));
  return (
    <tr
      id={id}
      data-row={at}
      aria-rowindex={at + 2}
      aria-selected={isSelected}
      aria-expanded={row?.type === 'run' ? row.isOpen : undefined}
      data-voice={hue ?? undefined}
      data-hit={isHit || undefined}
      style={{ top: at * heightPx, height: heightPx }}
      className={cx(
        'absolute inset-x-0 flex cursor-default items-center gap-3 contain-strict pr-4 pl-3 font-mono text-12 whitespace-nowrap',
        // The cells are pressed, since what is in them may be replaced before the release, which would then be no click.
        '[&_td>*]:pointer-events-none',
        isTrouble ? 'text-waiting' : 'text-text-muted',
        isSelected ? 'bg-selected' : isTrouble ? 'bg-waiting/10' : 'hover:bg-hover',
        isAudio && VOICE_BAR,
        !head && UNKNOWN,
      )}
    >
      {row && head && <Cells {...props} row={row} head={head} />}
    </tr>
  );
});

type CellsProps = Pick<FrameRowProps, 'hasContexts' | 'withAdvice' | 'isHit'> & {
  row: ShownRow;
  head: RecordHead;
};

function Cells({ row, head, hasContexts, withAdvice, isHit }: CellsProps) {
  const isTrouble = isUnderrun(head) || isFault(head);
  const kindTone = head.direction === 'out' || isTrouble ? '' : 'text-text';
  const isRun = row.type === 'run';
  const findings = rowFindings(row.findings, withAdvice);
  const hasProblem = !findings && !isTrouble && !isRun && row.isProblem;
  return (
    <>
      {isHit ? cell('index', '', undefined, [FOUND, head.index]) : textCell('index', String(head.index))}
      {cell(
        'direction',
        '',
        1,
        isUnderrun(head) ? RAN_DRY : isFault(head) ? STRUCK : DIRECTIONS[head.direction],
      )}
      {textCell('time', sinceStart(head.atUs))}
      {textCell('gap', gap(row.gapUs), 'text-text-subtle')}
      {isRun
        ? cell(
            'kind',
            kindTone,
            undefined,
            <span className="flex items-center gap-1">
              {row.isOpen ? OPEN : CLOSED}
              {head.kind}
              <span className="text-text-subtle">×{count(row.count)}</span>
            </span>,
          )
        : textCell('kind', head.kind, kindTone)}
      {hasContexts && textCell('context', head.context ?? '', 'text-voice')}
      {textCell('turn', String(head.turn ?? ''))}
      {textCell('chunk', isRun ? '' : String(head.chunk ?? ''))}
      <td className={cellClass('summary')}>
        {findings && <FindingMark {...findings} isInside={isRun} />}
        {row.envelope && <RowWave envelope={row.envelope} />}
        {hasProblem && (
          <span className="mr-2 text-failed">
            <CircleAlert className="mr-1 inline size-3.5 align-[-2px]" />
            problem
          </span>
        )}
        {isRun
          ? `${counted(row.count, 'audio frame')}, ${audioLength(row.audioMs)} of audio in ${milliseconds(row.lengthUs / 1000)}`
          : row.summary}
      </td>
      {textCell('size', bytes(isRun ? row.bytes : head.bytes))}
    </>
  );
}

/** Number of findings, with the look of the worst. @param isInside in a run of frames */
function FindingMark({ total, worst, isInside }: { total: number; worst: Severity; isInside: boolean }) {
  const { icon: Icon, text, word } = LOOKS[worst];
  return (
    <span className={cx('mr-2 inline-block max-w-[calc(100%-8px)] truncate align-bottom', text)}>
      <Icon
        role="img"
        aria-label={total === 1 ? word : `the worst: ${word}`}
        className="mr-1 inline size-3.5 overflow-visible align-[-2px]"
      />
      {counted(total, 'finding')}
      {isInside && ' inside'}
    </span>
  );
}

/** A function instead of a component, because the list renders hundreds at a time. */
function cell(id: ColumnId, tone: string, characters: number | undefined, children: ReactNode): ReactNode {
  const place = cellClass(id, characters);
  return <td className={tone ? `${place} ${tone}` : place}>{children}</td>;
}

const textCell = (id: ColumnId, text: string, tone = ''): ReactNode => cell(id, tone, text.length, text);

const COLUMN_PX = 2;
const BAR_PX = 1;
const HEIGHT_PX = 16;
/** Silence is a visible line. */
const LEAST_PX = 1;
const LOUDEST = 255;

const RowWave = memo(function RowWave({ envelope }: { envelope: Envelope }) {
  const widthPx = envelope.length * COLUMN_PX;
  return (
    <svg
      aria-hidden
      width={widthPx}
      height={HEIGHT_PX}
      className="mr-2 inline-block overflow-visible align-[-3px] text-voice @max-[480px]:hidden"
    >
      <path d={pathOf(envelope)} fill="currentColor" />
    </svg>
  );
});

function pathOf(envelope: Envelope): string {
  let path = '';
  envelope.forEach((level, column) => {
    const height = Math.max(LEAST_PX, Math.round((level / LOUDEST) * HEIGHT_PX));
    path += `M${column * COLUMN_PX} ${(HEIGHT_PX - height) / 2}h${BAR_PX}v${height}h-${BAR_PX}z`;
  });
  return path;
}
