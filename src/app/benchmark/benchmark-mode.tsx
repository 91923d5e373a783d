import { useState } from 'react';
import { useMedia, WIDE_MEDIA } from '../browser/use-media.ts';
import { inBoundary } from '../ui/panel-boundary.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { useBenchmark } from './benchmark-store.ts';
import { PlanPanel } from './plan/plan-panel.tsx';
import { StartBar } from './plan/start-bar.tsx';
import { ResultsPanel } from './results/results-panel.tsx';

export function BenchmarkMode() {
  const wide = useMedia(WIDE_MEDIA);
  return wide ? <SideBySide /> : <OneAtATime />;
}

const plan = inBoundary('The plan', <PlanPanel />);

const results = inBoundary('The results', <ResultsPanel />);

function SideBySide() {
  return (
    <div className="flex h-full min-h-0">
      <div className="flex w-[min(440px,44%)] shrink-0 flex-col border-r border-border bg-surface">
        <div className="min-h-0 flex-1">{plan}</div>
        <StartBar />
      </div>
      <div className="min-w-0 flex-1">{results}</div>
    </div>
  );
}

type Part = 'plan' | 'results';

function OneAtATime() {
  const isRunning = useBenchmark((state) => state.progress !== null);
  const [part, setPart] = useState<Part>(isRunning ? 'results' : 'plan');
  return (
    <div className="flex h-full min-h-0 flex-col bg-surface">
      <div className="shrink-0 border-b border-border p-2">
        <Segmented<Part>
          label="What is shown"
          fill
          value={part}
          onChange={setPart}
          options={[
            { value: 'plan', label: 'Plan' },
            { value: 'results', label: isRunning ? 'Results so far' : 'Results' },
          ]}
        />
      </div>
      <div className="min-h-0 flex-1">{part === 'plan' ? plan : results}</div>
      <StartBar brief={part === 'results'} onStart={() => setPart('results')} />
    </div>
  );
}
