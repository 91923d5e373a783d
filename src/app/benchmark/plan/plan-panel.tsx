import { FileDown, FolderOpen } from 'lucide-react';
import { describeProblem } from '#benchmark/read-plan.ts';
import { saveText } from '../../browser/save-file.ts';
import { TextField } from '../../ui/fields/text-field.tsx';
import { NoteLine, Notice } from '../../ui/notice.tsx';
import { PanelHead } from '../../ui/page.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { editPlan, openPlan, useBenchmark } from '../benchmark-store.ts';
import { FileButton, fileName, ToolButton } from '../file-tools.tsx';
import { ConductSection } from './conduct-section.tsx';
import { ConfigurationsSection } from './configurations-section.tsx';
import { TextsSection } from './texts-section.tsx';

export function PlanPanel() {
  const plan = useBenchmark((state) => state.plan);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PanelHead title="Plan">
        <FileButton label="Open plan" icon={FolderOpen} onFile={openPlan} />
        <ToolButton
          label="Save plan"
          icon={FileDown}
          onClick={() =>
            saveText(
              `${JSON.stringify(plan, null, 2)}\n`,
              fileName(plan.name, 'plan', 'json'),
              'application/json',
            )
          }
        />
      </PanelHead>
      <ScrollRegion label="Plan" className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
        <FileProblem />
        <div className="p-4">
          <TextField
            label="Name of the plan"
            value={plan.name}
            onChange={(name) => editPlan({ ...plan, name })}
          />
        </div>
        <TextsSection plan={plan} />
        <ConfigurationsSection plan={plan} />
        <ConductSection plan={plan} />
        <Problems />
      </ScrollRegion>
    </div>
  );
}

function FileProblem() {
  const problem = useBenchmark((state) => state.fileProblem);
  if (!problem) return null;
  return (
    <Notice
      severity="error"
      title={problem.title}
      className="m-3 whitespace-pre-line"
      onDismiss={() => useBenchmark.setState({ fileProblem: null })}
    >
      {problem.detail}
    </Notice>
  );
}

function Problems() {
  const problems = useBenchmark((state) => state.problems);
  if (problems.length === 0) return null;
  return (
    <ul aria-label="What is wrong with the plan" className="flex flex-col gap-1 px-4 pb-4">
      {problems.map((problem) => (
        <li key={describeProblem(problem)}>
          <NoteLine>{describeProblem(problem)}</NoteLine>
        </li>
      ))}
    </ul>
  );
}
