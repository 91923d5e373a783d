import { Download } from 'lucide-react';
import { writeCsv } from '#benchmark/csv.ts';
import { writeReport } from '#benchmark/report.ts';
import { type Results, writeResults } from '#benchmark/results.ts';
import { saveText } from '../browser/save-file.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { resultsAreSafe, takePlan } from './benchmark-store.ts';
import { fileName } from './file-name.ts';

export interface SaveMenuProps {
  results: Results;
  measure: string;
  base: number;
  earlier: Results | null;
}

/** Results as files: to share, to calculate with, to compare with on another day. None holds a key. */
export function SaveMenu({ results, measure, base, earlier }: SaveMenuProps) {
  const { name } = results.plan;
  const save = (what: string, extension: string, text: string, type: string): void => {
    saveText(text, fileName(name, what, extension), type);
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
          id: 'report',
          label: 'Report',
          hint: 'One HTML file to share, without scripts and keys',
          onSelect: () =>
            save('report', 'html', writeReport(results, { measure, base, earlier }), 'text/html'),
        },
        {
          id: 'json',
          label: 'JSON',
          hint: 'All of it, to be opened here again',
          onSelect: () => save('results', 'json', writeResults(results), 'application/json'),
        },
        {
          id: 'csv',
          label: 'CSV',
          hint: 'A line a run, for spreadsheets',
          onSelect: () => save('results', 'csv', writeCsv(results), 'text/csv'),
        },
        {
          id: 'plan',
          label: 'Take its plan',
          hint: 'Into the editor, to run it again',
          onSelect: () => takePlan(results.plan),
        },
      ]}
    />
  );
}
