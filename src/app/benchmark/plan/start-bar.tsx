import { Play, Square } from 'lucide-react';
import { useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { estimate } from '#benchmark/estimate.ts';
import { describeProblem } from '#benchmark/read-plan.ts';
import type { Progress } from '#benchmark/run-plan.ts';
import { roughDuration } from '#lib/format.ts';
import { useKeys } from '../../stores/key-store.ts';
import { Button } from '../../ui/button.tsx';
import { cancelBenchmark, startBenchmark, useBenchmark } from '../benchmark-store.ts';
import { estimateSentences, progressWords } from './estimate-words.ts';
import { lacksKey } from './plan-target.ts';
import { ratesFrom } from './rates.ts';

/** Shows the estimate and Start, or progress and Cancel. `brief` hides the estimate while the plan is not shown. */
export function StartBar({ onStart, brief = false }: { onStart?: () => void; brief?: boolean }) {
  const progress = useBenchmark((state) => state.progress);
  return (
    <div className="shrink-0 border-t border-border bg-surface px-4 py-3">
      {progress ? <Running progress={progress} /> : <Ready onStart={onStart} brief={brief} />}
    </div>
  );
}

function Ready({ onStart, brief }: { onStart: (() => void) | undefined; brief: boolean }) {
  const { plan, problems, results, earlier } = useBenchmark(
    useShallow(({ plan, problems, results, earlier }) => ({ plan, problems, results, earlier })),
  );
  const keys = useKeys();
  const isSound = problems.length === 0;
  const made = useMemo(
    () => (isSound ? estimate(plan, ratesFrom([results, earlier].filter((each) => each !== null))) : null),
    [plan, isSound, results, earlier],
  );
  const keyless = plan.configurations.find((configuration) => lacksKey(configuration, keys));
  const [problem] = problems;
  const reason = problem ? describeProblem(problem) : keyless ? `${keyless.name} needs a key.` : null;
  const isLocal = plan.configurations.every(({ server }) => server === 'local');
  const words = made ? estimateSentences(made, isLocal) : null;
  return (
    <div className="flex flex-col gap-2">
      <section aria-label="Estimate" hidden={brief} className="text-12 text-text-muted">
        {words ? (
          <>
            <p>{words.takes}</p>
            <p>{words.costs}</p>
            {words.warnings.map((warning) => (
              <p key={warning} className="text-waiting">
                {warning}
              </p>
            ))}
          </>
        ) : (
          <p className="break-words text-failed">{reason}</p>
        )}
      </section>
      <Button
        variant="filled"
        icon={Play}
        disabledReason={reason}
        onClick={() => {
          onStart?.();
          void startBenchmark();
        }}
      >
        Start
      </Button>
    </div>
  );
}

function Running({ progress }: { progress: Progress }) {
  const { plan } = progress.results;
  const words = progressWords(progress, plan);
  const part = progress.done / Math.max(1, progress.of);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3 text-13">
        <span className="font-mono">
          {progress.done} of {progress.of}
        </span>
        <span className="text-12 text-text-muted">about {roughDuration(progress.leftMs)} left</span>
      </div>
      <div
        role="progressbar"
        aria-label="Benchmark"
        aria-valuemin={0}
        aria-valuemax={progress.of}
        aria-valuenow={progress.done}
        aria-valuetext={`${progress.done} of ${progress.of}, about ${roughDuration(progress.leftMs)} left`}
        className="h-1 overflow-hidden rounded-full bg-border"
      >
        <div className="h-full origin-left bg-inverse" style={{ scale: `${part} 1` }} />
      </div>
      <p className="truncate text-12 text-text-muted">{words}</p>
      <Button variant="filled" icon={Square} onClick={cancelBenchmark}>
        Cancel
      </Button>
    </div>
  );
}
