import { Upload, X } from 'lucide-react';
import { useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { type Comparison, comparisonsOf, dayOf, type Series, seriesOf } from '#benchmark/analysis.ts';
import { RUN_MEASURES, type RunMeasure, runMeasure } from '#benchmark/measures.ts';
import { connectionKinds } from '#benchmark/plan.ts';
import type { Results } from '#benchmark/results.ts';
import { thresholdResults } from '#benchmark/thresholds.ts';
import { type Verdict, verdictOf } from '#benchmark/wording.ts';
import { Badge } from '../ui/badge.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { Select } from '../ui/select.tsx';
import { closeResults, openResults, useBenchmark } from './benchmark-store.ts';
import { DotPlotView } from './dot-plot-view.tsx';
import { FileButton } from './file-button.tsx';
import { outcomeWords } from './outcome-words.ts';
import { RunsTable } from './runs-table.tsx';
import { SaveMenu } from './save-menu.tsx';
import { SeriesTable } from './series-table.tsx';

const ACCEPTED = '.json,application/json';

/** What a benchmark has come to, as far as it is. */
export function ResultsPanel() {
  const results = useBenchmark((state) => state.results);
  return results && (results.runs.length > 0 || results.ended !== 'finished') ? (
    <Found results={results} />
  ) : (
    <Empty isRunning={results !== null} />
  );
}

function Empty({ isRunning }: { isRunning: boolean }) {
  return (
    <section aria-label="Results" className="flex h-full flex-col items-start gap-3 overflow-y-auto p-6">
      <h2 className="text-20 font-semibold tracking-[-0.01em]">
        {isRunning ? 'Warming up' : 'One try says little'}
      </h2>
      <p className="max-w-[56ch] text-14 text-text-muted">
        {isRunning
          ? 'The first runs do not count. After them every run appears here as it is made.'
          : 'Run texts many times under two or more configurations, in shuffled order. Percentiles with their intervals, every single run as a dot, and whether a difference is more than noise appear here. Add a configuration, change one thing on it, and press Start.'}
      </p>
      {!isRunning && (
        <>
          <FileButton label="Open results" icon={Upload} accept={ACCEPTED} onFile={openResults} wide />
          <p className="text-12 text-text-subtle">
            Results of an earlier day, as saved here or by npm run measure.
          </p>
        </>
      )}
    </section>
  );
}

function Found({ results }: { results: Results }) {
  const { earlier, measureId, base, isRunning } = useBenchmark(
    useShallow((state) => ({
      earlier: state.earlier,
      measureId: state.measure ?? results.plan.measure,
      base: state.base,
      isRunning: state.progress !== null,
    })),
  );
  const { plan } = results;
  const measure = runMeasure(measureId);
  const series = useMemo(() => seriesOf(results, measure.id), [results, measure]);
  const before = useMemo(() => (earlier ? seriesOf(earlier, measure.id, true) : []), [earlier, measure]);
  const comparisons = useMemo(() => comparisonsOf(series, base, before), [series, base, before]);
  return (
    <section aria-labelledby="results-title" className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-border bg-surface py-1.5 pr-2 pl-4">
        <h2 id="results-title" className="mr-auto min-w-0 truncate text-14 font-semibold">
          {plan.name}
        </h2>
        <Select
          label="Measure"
          size="small"
          value={measure.id}
          onChange={(id) => useBenchmark.setState({ measure: id })}
          options={RUN_MEASURES.map(({ id, title, definition }) => ({
            value: id,
            label: title,
            hint: definition,
          }))}
        />
        {plan.configurations.length > 1 && (
          <Select
            label="Compared with"
            size="small"
            value={base}
            onChange={(at) => useBenchmark.setState({ base: at })}
            options={plan.configurations.map(({ name }, at) => ({ value: at, label: `against ${name}` }))}
          />
        )}
        {!isRunning && (
          <>
            <FileButton
              label="Compare with an earlier day"
              icon={Upload}
              accept={ACCEPTED}
              onFile={openResults}
            />
            <SaveMenu results={results} measure={measure.id} base={base} earlier={earlier} />
            <IconButton
              size="small"
              label="Close the results"
              icon={X}
              tooltipSide="bottom"
              onClick={closeResults}
            />
          </>
        )}
      </div>
      <ScrollRegion
        label="Results"
        className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto p-4 outline-offset-[-2px] wide:p-6"
      >
        {!isRunning && <Outcome results={results} />}
        {earlier && <Earlier earlier={earlier} />}
        <p className="max-w-[76ch] text-12 text-text-muted">
          <span className="font-medium text-text">{measure.title}.</span> {measure.definition}
        </p>
        {connectionKinds(plan).map((connection) => (
          <Kind
            key={connection}
            title={connection === 'warm' ? 'Warm connections' : 'Cold connections'}
            series={[...series, ...before].filter((each) => each.connection === connection)}
            comparisons={comparisons.filter(({ other }) => other.connection === connection)}
            measure={measure}
          />
        ))}
        <Limits results={results} />
        <Failures results={results} />
        <RunsTable results={results} measure={measure} />
      </ScrollRegion>
    </section>
  );
}

function Outcome({ results }: { results: Results }) {
  const { severity, title, detail } = outcomeWords(results);
  return severity === 'info' ? (
    <p role="status" className="text-12 text-text-muted">
      {title} {detail}
    </p>
  ) : (
    <Notice severity={severity} title={title}>
      {detail}
    </Notice>
  );
}

function Earlier({ earlier }: { earlier: Results }) {
  return (
    <div className="flex items-center gap-2 text-12 text-text-muted">
      <span>
        Beside them: {earlier.plan.name}, {dayOf(earlier.startedAtMs)}.
      </span>
      <IconButton
        size="tiny"
        label="Leave the earlier day out"
        icon={X}
        onClick={() => useBenchmark.setState({ earlier: null })}
      />
    </div>
  );
}

const TONES = {
  different: { word: 'Difference', tone: 'live' },
  noise: { word: 'Noise', tone: 'neutral' },
  unknown: { word: 'Unknown', tone: 'waiting' },
} as const;

function Kind({
  title,
  series,
  comparisons,
  measure,
}: {
  title: string;
  series: readonly Series[];
  comparisons: readonly Comparison[];
  measure: RunMeasure;
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h3 className="text-13 font-semibold">{title}</h3>
      {comparisons.length > 0 && (
        <ul className="grid gap-2 roomy:grid-cols-[repeat(auto-fit,minmax(400px,1fr))]">
          {comparisons.map((comparison) => (
            <VerdictCard
              key={`${comparison.base.label} ${comparison.other.label}`}
              verdict={verdictOf(comparison, measure)}
            />
          ))}
        </ul>
      )}
      <DotPlotView series={series} measure={measure} />
      <SeriesTable title={title} series={series} measure={measure} />
    </section>
  );
}

function VerdictCard({ verdict: { kind, headline, detail } }: { verdict: Verdict }) {
  const { word, tone } = TONES[kind];
  return (
    <li
      data-verdict={kind}
      className="flex flex-col gap-1 rounded-panel border border-border bg-surface px-4 py-3"
    >
      <Badge tone={tone}>{word}</Badge>
      <p className="text-14 font-medium">{headline}</p>
      <p className="text-12 text-text-muted">{detail}</p>
    </li>
  );
}

function Limits({ results }: { results: Results }) {
  const limits = thresholdResults(results);
  if (limits.length === 0) return null;
  return (
    <section aria-labelledby="limits" className="flex flex-col gap-2">
      <h3 id="limits" className="text-13 font-semibold">
        Limits
      </h3>
      <ul className="flex flex-col gap-1 text-13">
        {limits.map(({ kept, sentence }) => (
          <li key={sentence} className="flex items-baseline gap-2">
            <Badge tone={kept ? 'live' : 'failed'}>{kept ? 'kept' : 'broken'}</Badge>
            {sentence}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Failures({ results: { plan, runs } }: { results: Results }) {
  const counts = new Map<string, number>();
  for (const { failure, configuration } of runs) {
    if (failure === null) continue;
    const line = `${plan.configurations[configuration]?.name}: ${failure}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  return (
    <section aria-labelledby="failures" className="flex flex-col gap-2">
      <h3 id="failures" className="text-13 font-semibold">
        Failures
      </h3>
      <ul className="flex flex-col gap-1 text-13">
        {[...counts].map(([line, times]) => (
          <li key={line} className="break-words">
            <span className="font-mono text-failed">{times} ×</span> {line}
          </li>
        ))}
      </ul>
    </section>
  );
}
