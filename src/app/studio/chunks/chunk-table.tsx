import { ArrowDownUp } from 'lucide-react';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import { counted, milliseconds, seconds } from '#lib/format.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { rtfText } from '#session/measures/measure-text.ts';
import type { TurnView } from '#session/views.ts';
import { SOURCE_NAMES } from '#trace/words/word-timings.ts';
import { useSelection, useSession, useSessionClient, useSpeaker } from '../../session-client/provider.tsx';
import { isOfChunk } from '../../session-client/selection.ts';
import { selectIsUnheard } from '../../session-client/session-state.ts';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { TableRows } from '../../ui/rows/table-rows.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { voiceHue } from '../../ui/voice-hue.ts';
import { DEFINITIONS, TIME_ZERO } from '../../wording/definitions.ts';
import { showFramesOf } from '../frames/view/show-frames.ts';
import { barSpans, type ChunkRow, chunkRows, scaleEnd } from './chunk-rows.ts';

interface Column<Row = ChunkRow> {
  title: string;
  definition: string;
  value: (row: Row) => string;
}

const time = (value: number | null): string => (value === null ? '–' : milliseconds(value));

const SUMMED: readonly Column<Pick<ChunkRow, 'audioSeconds' | 'generationMs'>>[] = [
  { title: 'audio', definition: DEFINITIONS.audio, value: (row) => seconds(row.audioSeconds) },
  { title: 'gen.', definition: DEFINITIONS.generation, value: (row) => time(row.generationMs) },
  {
    title: 'RTF',
    definition: DEFINITIONS.rtf,
    value: (row) => rtfText(row.generationMs, row.audioSeconds * 1000),
  },
];

const TIMES: readonly Column[] = [
  { title: 'sent', definition: DEFINITIONS.sent, value: (row) => time(row.sent) },
  { title: 'started', definition: DEFINITIONS.started, value: (row) => time(row.started) },
  { title: 'first audio', definition: DEFINITIONS.firstAudio, value: (row) => time(row.firstAudio) },
  { title: 'last audio', definition: DEFINITIONS.lastAudio, value: (row) => time(row.lastAudio) },
  { title: 'complete', definition: DEFINITIONS.complete, value: (row) => time(row.complete) },
];

/** Of sessions that are heard here. */
const HEARD: readonly Column[] = [
  { title: 'heard from', definition: DEFINITIONS.heardFrom, value: (row) => time(row.heardFrom) },
  { title: 'heard to', definition: DEFINITIONS.heardTo, value: (row) => time(row.heardTo) },
];

/** Whence the times of words are, and how far those of the vendor are from the words in the sound. */
const WORDS: readonly Column[] = [
  {
    title: 'word times',
    definition: DEFINITIONS.wordTimes,
    value: (row) => (row.wordSource === null ? '–' : SOURCE_NAMES[row.wordSource]),
  },
  {
    title: 'measured',
    definition: DEFINITIONS.wordsOff,
    value: ({ wordsOffMs: off }) =>
      off === null ? '–' : `${milliseconds(off.median)} off, at most ${milliseconds(off.most)}`,
  },
];

/** Shown where the server reports figures of its own. */
const SERVER_COLUMNS: readonly Column[] = [
  {
    title: 'server: first',
    definition: DEFINITIONS.serverFirstAudio,
    value: (row) => time(row.serverFirstAudioMs),
  },
  { title: 'server: audio', definition: DEFINITIONS.serverAudio, value: (row) => time(row.serverAudioMs) },
];
/** Built once, because rows are memoised by their columns. */
const COLUMNS = [HEARD, []].map((heard) =>
  [[], SERVER_COLUMNS].map((server) => [...TIMES, ...heard, ...WORDS, ...server, ...SUMMED]),
);

/** A cell shows about 40 characters. The layout of a line costs time by its length. */
const MAX_CELL_CHARS = 300;
const MAX_TITLE_CHARS = 1000;

const CELL = 'px-2 text-right font-mono text-12 whitespace-nowrap';

/** A row for each chunk of the turns, with its speaker if there are several. */
export function ChunkTable({ turns }: { turns: readonly TurnView[] }) {
  const rows = chunkRows(turns);
  const selection = useSelection((state) => state);
  const selectedRow =
    selection.by === 'chunks'
      ? -1
      : rows.findIndex(({ turn, row }) => isOfChunk(selection.selected, turn.id, row.id));
  const endMs = scaleEnd(rows.map(({ row }) => row));
  const { box, hasMore, look } = useMoreToTheRight();
  const [turn] = turns;
  const bySpeaker = turns.some(({ context }) => context !== ONLY_CONTEXT);
  const hasFigures = rows.some(({ row }) => row.serverFirstAudioMs !== null || row.serverAudioMs !== null);
  const isUnheard = useSession(selectIsUnheard);
  const speakName = useSettings(selectSpeakName);
  const columns = COLUMNS[isUnheard ? 1 : 0]?.[hasFigures ? 1 : 0] ?? [];
  return (
    <ScrollRegion
      ref={box}
      label="Chunk rows"
      onScroll={look}
      className={cx('min-h-0 flex-1 overflow-auto outline-offset-[-2px]', hasMore && 'fade-right')}
    >
      <table
        aria-label="Chunks"
        aria-rowcount={rows.length + 1}
        className="w-full border-separate border-spacing-0"
      >
        <Heads bySpeaker={bySpeaker} columns={columns} />
        <TableRows count={rows.length} reveal={selectedRow}>
          {(at) => {
            const of = rows[at];
            return (
              of && (
                <Row
                  key={`${of.turn.id} ${of.row.id}`}
                  at={at}
                  turn={of.turn.id}
                  row={of.row}
                  columns={columns}
                  context={of.turn.context}
                  voice={of.turn.voice}
                  endMs={endMs}
                />
              )
            );
          }}
        </TableRows>
        {rows.length === 0 && (
          <tbody>
            <tr>
              <td
                colSpan={columns.length + (bySpeaker ? 4 : 3)}
                className="px-5 py-4 text-12 text-text-muted"
              >
                {turn
                  ? turn.endedMs === null && turn.state !== 'cancelled' && turn.state !== 'lost'
                    ? 'The server has not started a chunk of this turn yet.'
                    : 'The server started no chunk of this turn.'
                  : `Each piece of text that the server speaks at once becomes a row here, with its times. Press ${speakName}.`}
              </td>
            </tr>
          </tbody>
        )}
        {rows.length > 1 && (
          <Sum rows={rows.map(({ row }) => row)} bySpeaker={bySpeaker} columns={columns.length} />
        )}
      </table>
    </ScrollRegion>
  );
}

/** Tracks whether columns continue beyond the right edge of the box. */
function useMoreToTheRight() {
  const box = useRef<HTMLElement>(null);
  const [hasMore, setHasMore] = useState(false);
  const look = useCallback(() => {
    const node = box.current;
    if (node) setHasMore(node.scrollWidth - node.clientWidth - node.scrollLeft > 1);
  }, []);
  useEffect(() => {
    const node = box.current;
    if (!node) return;
    const observer = new ResizeObserver(look);
    observer.observe(node);
    if (node.firstElementChild) observer.observe(node.firstElementChild);
    return () => observer.disconnect();
  }, [look]);
  return { box, hasMore, look };
}

/** Memoised, because the table renders with every frame of a turn. */
const Heads = memo(function Heads({
  bySpeaker,
  columns,
}: {
  bySpeaker: boolean;
  columns: readonly Column[];
}) {
  return (
    <thead>
      <tr className="h-7 touch:h-11">
        <Head title="#" definition={DEFINITIONS.chunk} className="left-0 z-2 w-9 pl-4 text-right wide:pl-5" />
        {bySpeaker && <Head title="speaker" definition={DEFINITIONS.context} className="text-left" />}
        <Head title="text" className="w-[26%] min-w-36 text-left" />
        {columns.map(({ title, definition }) => (
          <Head key={title} title={title} definition={definition} className="text-right" />
        ))}
        <Head
          title="wait, generation, heard"
          className="w-[18%] min-w-36 pr-5 text-left"
          definition={TIME_ZERO}
        />
      </tr>
    </thead>
  );
});

interface RowProps {
  at: number;
  turn: number;
  row: ChunkRow;
  columns: readonly Column[];
  context: string;
  voice: string | number | null;
  endMs: number;
}

const Row = memo(function Row({ at, turn, row, columns, context, voice, endMs }: RowProps) {
  const speaker = useSpeaker(context);
  const client = useSessionClient();
  const { selection } = client;
  const isSelected = useSelection(({ selected }) => isOfChunk(selected, turn, row.id));
  const chunk = { kind: 'chunk', turn, chunk: row.id } as const;
  return (
    <tr
      aria-rowindex={at + 2}
      data-selected={isSelected || undefined}
      className={cx('group/row h-6 touch:h-11', isSelected ? 'bg-selected' : 'hover:bg-hover')}
      data-voice={speaker?.hue ?? voiceHue(voice ?? 0)}
      onClick={() => selection.select(chunk, 'chunks')}
    >
      <td
        className={cx(
          CELL,
          'sticky left-0 z-1 border-b border-border pl-4 text-text-subtle wide:pl-5',
          // The sticky cell covers scrolled columns, so that its translucent colour needs an opaque surface.
          'bg-surface',
          isSelected && '[background-image:linear-gradient(var(--selected),var(--selected))]',
        )}
      >
        {row.id}
      </td>
      {speaker && (
        <td className="max-w-32 truncate border-b border-border px-2 text-12 font-medium text-voice">
          {speaker.name}
        </td>
      )}
      <td
        className="max-w-0 min-w-36 border-b border-border px-2 text-12 text-text"
        title={[row.text, row.spokenAs && `Spoken as: ${row.spokenAs}`]
          .flatMap((text) => text?.slice(0, MAX_TITLE_CHARS) ?? [])
          .join('\n')}
      >
        <div className="flex items-center gap-1">
          <span className="min-w-0 flex-1 truncate">
            {row.text === null ? (
              <span className="text-text-subtle">text not reported</span>
            ) : (
              <bdi>{row.text.slice(0, MAX_CELL_CHARS)}</bdi>
            )}
            {row.spokenAs !== null && (
              <span className="text-text-subtle"> spoken as {row.spokenAs.slice(0, MAX_CELL_CHARS)}</span>
            )}
          </span>
          {row.characters > MAX_CELL_CHARS && (
            <span className="shrink-0 text-text-subtle">{counted(row.characters, 'character')}</span>
          )}
          <IconButton
            size="tiny"
            icon={ArrowDownUp}
            label={`Frames of chunk ${row.id}`}
            className={cx(
              !isSelected &&
                'opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100 touch:opacity-100',
            )}
            onClick={(event) => {
              event.stopPropagation();
              selection.select(chunk, 'chunks');
              void showFramesOf(client, chunk);
            }}
          />
        </div>
      </td>
      {columns.map((column) => {
        const value = column.value(row);
        return (
          <td
            key={column.title}
            className={cx(
              CELL,
              'border-b border-border',
              value === '–' ? 'text-text-subtle' : 'text-text-muted',
            )}
          >
            {value}
          </td>
        );
      })}
      <td className="border-b border-border px-2 pr-5">
        <Bar row={row} endMs={endMs} />
      </td>
    </tr>
  );
});

const SUM_CELL = 'sticky bottom-0 z-2 border-t border-border bg-surface';

/** Sums of audio and generation. Times of chunks are moments, which have no sum. */
function Sum({
  rows,
  bySpeaker,
  columns,
}: {
  rows: readonly ChunkRow[];
  bySpeaker: boolean;
  columns: number;
}) {
  const audioSeconds = rows.reduce((sum, row) => sum + row.audioSeconds, 0);
  const generationMs = rows.reduce<number | null>(
    (sum, row) => (sum === null || row.generationMs === null ? null : sum + row.generationMs),
    0,
  );
  return (
    <tfoot>
      <tr className="h-6">
        <th
          scope="row"
          colSpan={(bySpeaker ? 3 : 2) + columns - SUMMED.length}
          className={cx(SUM_CELL, 'px-4 text-left text-12 font-normal text-text-subtle wide:px-5')}
        >
          All {rows.length}
        </th>
        {SUMMED.map(({ title, value }) => (
          <td key={title} className={cx(CELL, SUM_CELL, 'text-text')}>
            {value({ audioSeconds, generationMs })}
          </td>
        ))}
        <td className={SUM_CELL} />
      </tr>
    </tfoot>
  );
}

function Head({ title, definition, className }: { title: string; definition?: string; className?: string }) {
  return (
    <th
      scope="col"
      className={cx(
        'sticky top-0 z-1 border-b border-border bg-surface px-2 text-12 font-normal whitespace-nowrap text-text-subtle',
        className,
      )}
    >
      {definition ? <Defined definition={definition}>{title}</Defined> : title}
    </th>
  );
}

const SPANS = {
  wait: 'top-0.5 mt-[2.5px] h-px bg-text-subtle opacity-60',
  generation: 'top-0.5 h-1.5 rounded-[1px] bg-text-subtle',
  heard: 'bottom-0.5 h-1.5 rounded-[1px] bg-voice',
};

/** Draws the row's times on the shared scale. The cells beside it have the same figures. */
function Bar({ row, endMs }: { row: ChunkRow; endMs: number }) {
  return (
    <div aria-hidden className="relative h-4 min-w-28">
      {barSpans(row, endMs).map((span) => (
        <span
          key={span.kind}
          className={cx('absolute min-w-px', SPANS[span.kind])}
          style={{ left: `${span.fromPercent}%`, width: `${span.widthPercent}%` }}
        />
      ))}
    </div>
  );
}
