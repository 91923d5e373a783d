import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { counted } from '#lib/format.ts';
import type { Measure, MeasureGroup } from '#session/measures/definitions.ts';
import { measureRangeText, measureText } from '#session/measures/measure-text.ts';
import { OUTLIER_DEFINITION, type TurnSeries } from '#session/measures/series.ts';
import type { TurnView } from '#session/views.ts';
import {
  useSelection,
  useSession,
  useSessionClient,
  useSpeaker,
  useTurns,
} from '../../session-client/provider.tsx';
import { selectHeard } from '../../session-client/session-state.ts';
import { cx } from '../../ui/cx.ts';
import { Defined } from '../../ui/defined.tsx';
import { Select } from '../../ui/select.tsx';
import { CELL, ColumnHead, FirstHead, RowHead } from './cells.tsx';
import { lastTurns, type MeasureRows, turnMeasureRows } from './measure-rows.ts';
import { Sparkline } from './sparkline.tsx';

const GROUPS: Readonly<Record<MeasureGroup, string>> = {
  wait: 'Before the first sound',
  flow: 'Flow of the audio',
  speech: 'Speech',
  bargeIn: 'Barge-in',
  model: 'Live model',
};

export function TurnMeasuresTable() {
  const turns = useTurns();
  const selected = useSelection((state) => state.selected?.turn ?? null);
  const heard = useSession(selectHeard);
  const [context, setContext] = useState<string | null>(null);
  const contexts = useMemo(() => [...new Set(turns.map((turn) => turn.context))], [turns]);
  const inScope = context !== null && contexts.includes(context) ? context : null;
  const mine = turns.filter((turn) => inScope === null || turn.context === inScope);
  const shown = mine.find(({ id }) => id === selected) ?? mine.find(({ id }) => id === heard) ?? mine.at(-1);
  if (!shown) return null;
  const last = lastTurns(turns, shown, inScope);
  const rows = turnMeasureRows(shown, last);
  const isCompared = last.length > 1;
  return (
    <div className="@container min-w-0">
      {contexts.length > 1 && (
        <div className="flex items-center gap-2 px-4 pt-2 text-12 text-text-subtle wide:px-5">
          Measures of
          <Select
            label="Measures of"
            size="small"
            quiet
            value={inScope}
            onChange={setContext}
            options={[
              { value: null, label: 'all speakers' },
              ...contexts.map((id) => ({ value: id, label: <SpeakerName context={id} /> })),
            ]}
          />
        </div>
      )}
      <MeasuresTable
        label="Measures"
        measures={rows}
        columns={isCompared ? 6 : 2}
        head={
          <>
            <ColumnHead>turn {shown.id}</ColumnHead>
            {isCompared && (
              <>
                <ColumnHead className={`${ROOMY} text-right`}>median</ColumnHead>
                <ColumnHead className={`${ROOMIEST} text-right`}>least to most</ColumnHead>
                <ColumnHead className="text-left">last {last.length} turns</ColumnHead>
                <ColumnHead className="text-left">
                  <Defined definition={OUTLIER_DEFINITION}>outlier</Defined>
                </ColumnHead>
              </>
            )}
          </>
        }
        cells={({ measure, value, series }) => (
          <>
            <td
              className={cx(
                CELL,
                series.outlier?.turn === shown.id && 'text-waiting',
                value === null && 'text-text-subtle',
              )}
            >
              {value === null ? '–' : measureText(measure, value)}
            </td>
            {isCompared && <LastTurnsCells measure={measure} series={series} turn={shown} />}
          </>
        )}
      />
    </div>
  );
}

/** Measures in groups, each with its definition, and the measures without figures below. Needs a container. */
export function MeasuresTable<R extends { measure: Measure }>({
  label,
  measures: { groups, unknown },
  columns,
  head,
  cells,
}: {
  label: string;
  measures: MeasureRows<R>;
  /** Number of columns, with that of the measure. */
  columns: number;
  head: ReactNode;
  /** Cells of a row after its measure. */
  cells: (row: R) => ReactNode;
}) {
  return (
    <>
      <table aria-label={label} className="w-full border-separate border-spacing-0">
        <thead>
          <tr>
            <FirstHead>measure</FirstHead>
            {head}
          </tr>
        </thead>
        {groups.map(({ group, rows }) => (
          <tbody key={group}>
            <tr>
              <th
                scope="rowgroup"
                colSpan={columns}
                className="h-7 px-4 pt-2 text-left text-12 font-medium text-text-muted wide:px-5"
              >
                {GROUPS[group]}
              </th>
            </tr>
            {rows.map((row) => (
              <tr key={row.measure.id} className="hover:bg-hover">
                <RowHead className="w-full font-normal text-text-muted @min-[480px]:whitespace-nowrap">
                  <Defined
                    definition={`${row.measure.definition} ${row.measure.computed}`}
                    className="text-left"
                  >
                    {row.measure.title}
                  </Defined>
                </RowHead>
                {cells(row)}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      {unknown.length > 0 && (
        <p className="px-4 py-2 text-12 text-text-subtle wide:px-5">
          No figures yet:{' '}
          {unknown.map(({ id, title, definition }, at) => (
            <Fragment key={id}>
              <span className="whitespace-nowrap">
                <Defined definition={definition}>{title}</Defined>
                {at < unknown.length - 1 && ','}
              </span>{' '}
            </Fragment>
          ))}
        </p>
      )}
    </>
  );
}

/** Columns of wide tables; the sparkline's label has the same figures. */
const ROOMY = 'hidden @min-[620px]:table-cell';
const ROOMIEST = 'hidden @min-[760px]:table-cell';

function LastTurnsCells({ measure, series, turn }: { measure: Measure; series: TurnSeries; turn: TurnView }) {
  const { selection } = useSessionClient();
  const { summary, outlier } = series;
  const isOut = outlier?.turn === turn.id;
  return (
    <>
      <td className={cx(CELL, ROOMY)}>{summary ? measureText(measure, summary.median) : '–'}</td>
      <td className={cx(CELL, ROOMIEST, 'text-text-muted')}>
        {summary ? measureRangeText(measure, summary.least, summary.most) : '–'}
      </td>
      <td className="h-6 border-b border-border px-2">
        {summary && <Sparkline series={series} label={inWords(measure, summary)} turn={turn.id} />}
      </td>
      <td className="h-6 border-b border-border pr-4 pl-2 text-12 whitespace-nowrap @min-[480px]:min-w-36">
        {outlier && (
          <button
            type="button"
            aria-label={`${measure.title}: select turn ${outlier.turn}, ${measureText(measure, outlier.value)}`}
            aria-pressed={isOut}
            onClick={() => selection.select(isOut ? null : { kind: 'turn', turn: outlier.turn }, 'usage')}
            className="relative rounded-inner text-waiting underline-offset-3 hover:underline touch:after:absolute touch:after:-inset-x-2 touch:after:-inset-y-3"
          >
            turn {outlier.turn}
            <span className="hidden font-mono @min-[420px]:inline">
              , {measureText(measure, outlier.value)}
            </span>
          </button>
        )}
      </td>
    </>
  );
}

function inWords(measure: Measure, summary: NonNullable<TurnSeries['summary']>): string {
  const { count, least, median, most } = summary;
  const [low, middle, high] = [least, median, most].map((value) => measureText(measure, value));
  return `${measure.title} of ${counted(count, 'turn')}: least ${low}, median ${middle}, most ${high}`;
}

function SpeakerName({ context }: { context: string }) {
  return useSpeaker(context)?.name ?? 'single voice';
}
