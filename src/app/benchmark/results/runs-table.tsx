import { useState } from 'react';
import type { RunMeasure } from '#benchmark/measures.ts';
import type { BenchmarkRun, Results } from '#benchmark/results.ts';
import { count } from '#lib/format.ts';
import { endpointOf } from '#protocol/registry.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import { FieldsTable } from '../../studio/measures/fields-table.tsx';
import { NotReported } from '../../studio/measures/not-reported.tsx';

/** More rows would slow the page down; the files have all of them. */
const MAX_ROWS = 500;

/** Every run in the order it was made, for readers who cannot see the dots. */
export function RunsTable({ results, measure }: { results: Results; measure: RunMeasure }) {
  // Rows are rendered on opening, because there are hundreds.
  const [isOpen, setOpen] = useState(false);
  const { plan, runs } = results;
  const shown = runs.slice(-MAX_ROWS);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-default rounded-control py-1 text-13 font-semibold touch:min-h-11 touch:py-3">
        Every run
      </summary>
      {isOpen && (
        <>
          {runs.length > shown.length && (
            <p className="py-1 text-12 text-text-muted">
              The last {count(shown.length)} of {count(runs.length)}; the files have all of them.
            </p>
          )}
          <FieldsTable
            label="Every run"
            className="overflow-x-auto"
            rows={shown.map((run) => ({
              round: run.round + 1,
              configuration: plan.configurations[run.configuration]?.name,
              text: plan.texts[run.text]?.name,
              connection: run.connection,
              [measure.title]: <RunFigure {...{ run, measure, plan }} />,
            }))}
          />
        </>
      )}
    </details>
  );
}

function RunFigure({
  run: { failure, measures, configuration },
  measure,
  plan,
}: {
  run: BenchmarkRun;
  measure: RunMeasure;
  plan: Results['plan'];
}) {
  if (failure !== null) return `failed: ${failure}`;
  const value = measures[measure.id] ?? null;
  const { id, title } = endpointOf(plan.configurations[configuration]?.endpoint);
  if (value === null && unreportedBy(id).measures.has(measure.id)) return <NotReported by={title} />;
  return measureText(measure, value);
}
