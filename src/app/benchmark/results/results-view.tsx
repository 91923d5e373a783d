import { X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { type Comparison, comparisonsOf, dayOf, type Series, seriesOf } from '#benchmark/analysis.ts';
import type { RunMeasure } from '#benchmark/measures.ts';
import { connectionKinds } from '#benchmark/plan.ts';
import type { Results } from '#benchmark/results.ts';
import { thresholdResults } from '#benchmark/thresholds.ts';
import { type Verdict, verdictOf } from '#benchmark/wording.ts';
import { counted, roughDuration } from '#lib/format.ts';
import { endpointOf } from '#protocol/registry.ts';
import { NotReportedNote } from '../../studio/measures/not-reported.tsx';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { DotPlotView } from './dot-plot-view.tsx';
import { RunsTable } from './runs-table.tsx';
import { SeriesTable } from './series-table.tsx';

interface ResultsViewProps {
  results: Results;
  measure: RunMeasure;
  /** Index of the configuration that the others are compared with. */
  base: number;
  /** Results of an earlier day, shown beside these; null where there are none. */
  earlier: Results | null;
  isRunning: boolean;
  onCloseEarlier: () => void;
}

export function ResultsView({
  results,
  measure,
  base,
  earlier,
  isRunning,
  onCloseEarlier,
}: ResultsViewProps) {
  const series = useMemo(() => seriesOf(results, measure.id), [results, measure]);
  const before = useMemo(() => (earlier ? seriesOf(earlier, measure.id, true) : []), [earlier, measure]);
  const comparisons = useMemo(() => comparisonsOf(series, base, before), [series, base, before]);
  return (
    <>
      {!isRunning && <Outcome results={results} />}
      {earlier && (
        <div className="flex items-center gap-2 text-12 text-text-muted">
          <span>
            Beside them: {earlier.plan.name}, {dayOf(earlier.startedAtMs)}.
          </span>
          <IconButton size="tiny" label="Leave the earlier day out" icon={X} onClick={onCloseEarlier} />
        </div>
      )}
      <p className="max-w-[76ch] text-12 text-text-muted">
        <span className="font-medium text-text">{measure.title}.</span> {measure.definition}
      </p>
      {connectionKinds(results.plan).map((connection) => (
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
      <NotReportedNote
        endpoints={results.plan.configurations.map(({ endpoint }) => endpointOf(endpoint).id)}
      />
      <Method results={results} />
      <RunsTable results={results} measure={measure} />
    </>
  );
}

const ENDINGS = {
  finished: { severity: 'info', title: 'Finished.' },
  cancelled: { severity: 'warning', title: 'Cancelled' },
  budget: { severity: 'warning', title: 'Stopped at the budget' },
  failing: { severity: 'error', title: 'Given up' },
} as const;

function Outcome({ results: { ended, endedWhy, runs, startedAtMs, endedAtMs } }: { results: Results }) {
  const { severity, title } = ENDINGS[ended];
  const failed = runs.filter(({ failure }) => failure !== null).length;
  const made = `${counted(runs.length, 'run')} in ${roughDuration(endedAtMs - startedAtMs)}${failed > 0 ? `, ${failed} of them failed` : ''}.`;
  if (severity === 'info') {
    return (
      <p role="status" className="text-12 text-text-muted">
        {title} {made}
      </p>
    );
  }
  return (
    <Notice severity={severity} title={title}>
      {ended === 'cancelled' ? 'The runs made so far are kept:' : endedWhy} {made}
    </Notice>
  );
}

interface KindProps {
  title: string;
  series: readonly Series[];
  comparisons: readonly Comparison[];
  measure: RunMeasure;
}

function Kind({ title, series, comparisons, measure }: KindProps) {
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

const TONES = {
  different: { word: 'Difference', tone: 'live' },
  noise: { word: 'Noise', tone: 'neutral' },
  unknown: { word: 'Unknown', tone: 'waiting' },
} as const;

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
    <List title="Limits">
      {limits.map(({ kept, sentence }) => (
        <li key={sentence} className="flex items-baseline gap-2">
          <Badge tone={kept ? 'live' : 'failed'}>{kept ? 'kept' : 'broken'}</Badge>
          {sentence}
        </li>
      ))}
    </List>
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
    <List title="Failures">
      {[...counts].map(([line, times]) => (
        <li key={line} className="break-words">
          <span className="font-mono text-failed">{times} ×</span> {line}
        </li>
      ))}
    </List>
  );
}

function Method({ results: { plan, environment, startedAtMs } }: { results: Results }) {
  const { browser, cores } = environment;
  return (
    <List title="How it was measured" isBulleted>
      <li>
        {counted(plan.runs, 'round')}. In each, every text was spoken once under every configuration
        {plan.connections === 'both' && ', on a warm and on a cold connection'}. The order was shuffled for
        each round (seed {plan.seed}), with pauses of about {plan.pauseMs} ms between runs.
        {plan.warmUps > 0 &&
          ` Before them, ${counted(plan.warmUps, 'warm-up')} of each configuration did not count.`}
      </li>
      <li>
        Every run has a session of its own, so that it reuses nothing of an earlier run. A warm connection was
        open before the run. A cold one was opened by it.
      </li>
      <li>
        Percentiles are values that occurred (nearest rank). A difference is that of the medians, between runs
        of the same text. Intervals are bootstrapped. Each stands alone: of twenty comparisons of equals,
        about one shows a difference.
      </li>
      <li>
        {new Date(startedAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC, {browser}
        {cores !== null && `, ${counted(cores, 'core')}`}.
      </li>
    </List>
  );
}

interface ListProps {
  title: string;
  isBulleted?: boolean;
  children: ReactNode;
}

const List = ({ title, isBulleted = false, children }: ListProps) => (
  <section aria-label={title} className="flex flex-col gap-2">
    <h3 className="text-13 font-semibold">{title}</h3>
    <ul className={cx('flex flex-col gap-1 text-13', isBulleted && 'max-w-[76ch] list-disc pl-4')}>
      {children}
    </ul>
  </section>
);
