import { useMemo } from 'react';
import { percentilesOf, type Series, SHARES } from '#benchmark/analysis.ts';
import type { RunMeasure } from '#benchmark/measures.ts';
import { intervalWords, openIntervalNote } from '#benchmark/wording.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { NotReported } from '../../studio/measures/not-reported.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

const HEAD =
  'border-b border-border py-1.5 pr-4 text-right text-12 font-medium text-text-subtle whitespace-nowrap first:text-left last:pr-0';
const CELL = 'border-b border-border py-2 pr-4 text-right align-top font-mono text-13 whitespace-nowrap';

interface SeriesTableProps {
  title: string;
  series: readonly Series[];
  measure: RunMeasure;
}

export function SeriesTable({ title, series, measure }: SeriesTableProps) {
  const rows = useMemo(() => series.map((each) => ({ each, percentiles: percentilesOf(each) })), [series]);
  const open = SHARES.filter((_, at) =>
    rows.some(({ each, percentiles }) => each.values.length > 0 && !percentiles[at]?.interval),
  );
  const heads = ['configuration', 'runs', 'failed', ...SHARES.map((share) => `p${Math.round(share * 100)}`)];
  return (
    <div className="flex flex-col gap-1.5">
      <ScrollRegion label={`${title}, percentiles`} className="overflow-x-auto">
        <table className="w-full border-separate border-spacing-0">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col" className={HEAD}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ each, percentiles }) => (
              <tr key={each.label} data-series={each.label}>
                <th
                  scope="row"
                  className="border-b border-border py-2 pr-4 text-left align-top text-13 font-medium"
                >
                  {each.label}
                </th>
                <td className={CELL}>
                  {each.values.length}
                  {each.unknown > 0 && each.unreportedBy === null && (
                    <span className="block font-sans text-12 text-text-subtle">{each.unknown} unknown</span>
                  )}
                </td>
                <td className={`${CELL} ${each.failures.length > 0 ? 'text-failed' : ''}`}>
                  {each.failures.length}
                </td>
                {percentiles.map((percentile, at) => (
                  <td key={SHARES[at]} className={`${CELL} last:pr-0`}>
                    {each.unreportedBy !== null ? (
                      <NotReported by={each.unreportedBy} />
                    ) : each.values.length === 0 ? (
                      '–'
                    ) : (
                      <>
                        {measureText(measure, percentile.value)}
                        <span className="block font-sans text-12 text-text-subtle">
                          {intervalWords(percentile, measure)}
                        </span>
                      </>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="text-12 text-text-subtle">
        Below each percentile its 95 % interval. {openIntervalNote(open)}
      </p>
    </div>
  );
}
