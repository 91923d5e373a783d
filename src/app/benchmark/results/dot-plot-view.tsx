import { type PointerEvent, useCallback, useMemo, useState } from 'react';
import type { Series } from '#benchmark/analysis.ts';
import type { RunMeasure } from '#benchmark/measures.ts';
import type { BenchmarkRun } from '#benchmark/results.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { crossesPath, DOT_PX, type DotPlot, dotPlot, dotsPath, NAME_PX, ROW_PX } from './dot-plot.ts';

const REACH_PX = 14;
/** Before the element is measured. */
const FIRST_WIDTH_PX = 912;
/** A tick so near to an edge has its label on the inner side, where it is not clipped. */
const EDGE_PX = 32;

export function DotPlotView({ series, measure }: { series: readonly Series[]; measure: RunMeasure }) {
  const [widthPx, setWidth] = useState(FIRST_WIDTH_PX);
  const [pointed, setPointed] = useState<BenchmarkRun | null>(null);
  const measured = useCallback((node: HTMLElement | null) => {
    if (!node) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(1, node.clientWidth)));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const plot = useMemo(
    () =>
      dotPlot(
        series.map(({ values, failures }) => ({
          values: values.map(({ value }) => value),
          failures: failures.length,
        })),
        widthPx,
      ),
    [series, widthPx],
  );
  if (series.every(({ values, failures }) => values.length + failures.length === 0)) return null;
  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    setPointed(runAt(plot, series, event.clientX - box.left, event.clientY - box.top));
  };
  return (
    <figure ref={measured} className="min-w-0">
      <svg
        role="img"
        aria-label={`${measure.title} of every run as a dot; the table below has the figures`}
        width={plot.widthPx}
        height={plot.heightPx}
        viewBox={`0 0 ${plot.widthPx} ${plot.heightPx}`}
        className="block h-auto max-w-full rounded-control border border-border bg-surface"
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      >
        <Picture plot={plot} series={series} measure={measure} />
        {pointed && <Ring plot={plot} series={series} run={pointed} />}
      </svg>
      <figcaption className="mt-1 flex justify-between gap-3 text-12 text-text-subtle">
        <span className="min-w-0 truncate">
          {pointed
            ? runWords(series, pointed, measure)
            : `${measure.title}${plot.isLogarithmic ? ', logarithmic axis' : ''}. A dot is a run, the line their median.`}
        </span>
      </figcaption>
    </figure>
  );
}

interface PictureProps {
  plot: DotPlot;
  series: readonly Series[];
  measure: RunMeasure;
}

function Picture({ plot, series, measure }: PictureProps) {
  const bottom = plot.rows.length * ROW_PX;
  return (
    <>
      {plot.ticks.map(({ x, value }) => (
        <g key={value}>
          <path d={`M${x} 0V${bottom}`} className="stroke-border" />
          <text
            x={x}
            y={bottom + 16}
            textAnchor={x < EDGE_PX ? 'start' : x > plot.widthPx - EDGE_PX ? 'end' : 'middle'}
            className="fill-text-subtle font-mono text-12"
          >
            {measureText(measure, value)}
          </text>
        </g>
      ))}
      {plot.failuresX !== null && (
        <text x={plot.failuresX} y={bottom + 16} textAnchor="middle" className="fill-text-subtle text-12">
          failed
        </text>
      )}
      {plot.rows.map((row, at) => {
        const each = series[at];
        if (!each) return null;
        const top = row.topPx;
        const median =
          each.values.length > 0
            ? plot.xOf(
                percentile(
                  each.values.map(({ value }) => value),
                  0.5,
                ),
              )
            : null;
        return (
          <g key={each.label} data-row={each.label}>
            {at > 0 && <path d={`M0 ${top}H${plot.widthPx}`} className="stroke-border" />}
            <text x={10} y={top + 15} className="fill-text text-12 font-medium">
              {each.label}
            </text>
            <path
              data-marks="dots"
              d={dotsPath(row.dots)}
              strokeWidth={DOT_PX}
              strokeLinecap="round"
              strokeOpacity={each.isEarlier ? 0.3 : 0.55}
              className="stroke-text"
            />
            {median !== null && (
              <path
                d={`M${median} ${top + NAME_PX}V${top + ROW_PX - 4}`}
                strokeWidth={2}
                className="stroke-text"
              />
            )}
            <path
              data-marks="crosses"
              d={crossesPath(row.failures)}
              strokeWidth={1.5}
              fill="none"
              className="stroke-failed"
            />
          </g>
        );
      })}
    </>
  );
}

function Ring({ plot, series, run }: Pick<PictureProps, 'plot' | 'series'> & { run: BenchmarkRun }) {
  for (const [at, { values }] of series.entries()) {
    const dot = plot.rows[at]?.dots[values.findIndex((each) => each.run === run)];
    if (dot)
      return <circle cx={dot.x} cy={dot.y} r={5} fill="none" strokeWidth={1.5} className="stroke-text" />;
  }
  return null;
}

function runAt(plot: DotPlot, series: readonly Series[], x: number, y: number): BenchmarkRun | null {
  const at = Math.floor(y / ROW_PX);
  let nearest: BenchmarkRun | null = null;
  let nearestPx = REACH_PX;
  plot.rows[at]?.dots.forEach((dot, place) => {
    const distancePx = Math.hypot(dot.x - x, dot.y - y);
    if (distancePx >= nearestPx) return;
    nearestPx = distancePx;
    nearest = series[at]?.values[place]?.run ?? null;
  });
  return nearest;
}

function runWords(series: readonly Series[], run: BenchmarkRun, measure: RunMeasure): string {
  const each = series.find(({ values }) => values.some((value) => value.run === run));
  const text = each?.values.find((candidate) => candidate.run === run)?.text ?? '';
  const time = new Date(run.startedAtMs).toLocaleTimeString('en-GB');
  return `${each?.label ?? ''}, round ${run.round + 1}, ${time}: ${measureText(measure, run.measures[measure.id] ?? null)} for “${text}”`;
}
