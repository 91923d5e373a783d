import { Download, Upload, X } from 'lucide-react';
import { writeCsv } from '#benchmark/csv.ts';
import { RUN_MEASURES, runMeasure } from '#benchmark/measures.ts';
import { type Results, writeResults } from '#benchmark/results.ts';
import { saveText } from '../../browser/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Empty, PanelHead } from '../../ui/page.tsx';
import { Menu } from '../../ui/popups/menu.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Select } from '../../ui/select.tsx';
import { closeResults, openResults, resultsAreSafe, takePlan, useBenchmark } from '../benchmark-store.ts';
import { FileButton, fileName } from '../file-tools.tsx';
import { ResultsView } from './results-view.tsx';

export function ResultsPanel() {
  const results = useBenchmark((state) => state.results);
  return results && (results.runs.length > 0 || results.ended !== 'finished') ? (
    <Found results={results} />
  ) : (
    <NothingYet isRunning={results !== null} />
  );
}

function NothingYet({ isRunning }: { isRunning: boolean }) {
  return (
    <section aria-label="Results" className="grid h-full overflow-y-auto">
      <Empty>
        <h2 className="text-20 text-text">{isRunning ? 'Warming up' : 'One try says little'}</h2>
        <p className="max-w-[56ch]">
          {isRunning
            ? 'The first runs do not count. After them every run appears here as it is made.'
            : 'Run texts many times under two or more configurations, in shuffled order. Percentiles with their intervals, every single run as a dot, and whether a difference is more than noise appear here. Add a configuration, change one thing on it, and press Start.'}
        </p>
        {!isRunning && (
          <>
            <FileButton label="Open results" icon={Upload} onFile={openResults} wide />
            <p className="text-12 text-text-subtle">
              Results of an earlier day, as saved here or by voicewire measure.
            </p>
          </>
        )}
      </Empty>
    </section>
  );
}

function Found({ results }: { results: Results }) {
  const earlier = useBenchmark((state) => state.earlier);
  const chosen = useBenchmark((state) => state.measure);
  const base = useBenchmark((state) => state.base);
  const isRunning = useBenchmark((state) => state.progress !== null);
  const { plan } = results;
  const measure = runMeasure(chosen ?? plan.measure);
  return (
    <section aria-labelledby="results-title" data-print className="flex h-full min-h-0 flex-col">
      <PanelHead id="results-title" title={plan.name}>
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
            <FileButton label="Compare with an earlier day" icon={Upload} onFile={openResults} />
            <SaveMenu results={results} />
            <IconButton
              size="small"
              label="Close the results"
              icon={X}
              tooltipSide="bottom"
              onClick={closeResults}
            />
          </>
        )}
      </PanelHead>
      <ScrollRegion
        label="Results"
        className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto p-4 outline-offset-[-2px] wide:p-6"
      >
        <ResultsView
          results={results}
          measure={measure}
          base={base}
          earlier={earlier}
          isRunning={isRunning}
          onCloseEarlier={() => useBenchmark.setState({ earlier: null })}
        />
      </ScrollRegion>
    </section>
  );
}

/** Saves results as files without keys, or prints them. */
function SaveMenu({ results }: { results: Results }) {
  const { name } = results.plan;
  const save = (extension: string, text: string, type: string): void => {
    saveText(text, fileName(name, 'results', extension), type);
    resultsAreSafe();
  };
  return (
    <Menu
      trigger={
        <Button size="small" icon={Download}>
          Save
        </Button>
      }
      items={[
        {
          id: 'json',
          label: 'JSON',
          hint: 'All of it, to be opened here again',
          onSelect: () => save('json', writeResults(results), 'application/json'),
        },
        {
          id: 'csv',
          label: 'CSV',
          hint: 'A line a run, for spreadsheets',
          onSelect: () => save('csv', writeCsv(results), 'text/csv'),
        },
        {
          id: 'print',
          label: 'Print',
          hint: 'What is shown, on paper or as PDF',
          onSelect: () => print(),
        },
        {
          id: 'plan',
          label: 'Take its plan',
          hint: 'Into the form, to run it again',
          onSelect: () => takePlan(results.plan),
        },
      ]}
    />
  );
}
