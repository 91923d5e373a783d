import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { count, counted } from '#lib/format.ts';
import type { FindingGroup, FoundFinding } from '#recordings/view/check-view.ts';
import { sinceStart } from '#recordings/view/figures.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { useAnswer } from '../../../recordings-client/use-answer.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { useFrames } from '../view/frames-store.ts';
import { framesView } from '../view/frames-view.ts';
import { SoundPlace } from './sound-place.tsx';

const PAGE = 20;

export function RuleFindings({ group }: { group: FindingGroup }) {
  const { rule, count: found } = group;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const Fold = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full cursor-default items-center gap-2 py-1.5 pr-4 pl-3 text-left text-13 outline-offset-[-2px] hover:bg-hover touch:min-h-11"
      >
        <Fold className="size-3.5 shrink-0 text-text-subtle" />
        <span className="min-w-0 flex-1 break-words">{rule.title}</span>
        <span className="shrink-0 font-mono text-12 text-text-muted">
          <span aria-hidden>{count(found)}</span>
          <span className="sr-only">{counted(found, 'finding')}</span>
        </span>
      </button>
      {isOpen && (
        <div id={id} className="pb-2">
          <div className="pr-4 pb-1.5 pl-8.5 text-12 text-text-muted">
            <p>{rule.why}</p>
            <p className="mt-0.5 text-text-subtle">
              <span className="font-mono">{rule.id}</span>, {rule.group}, {rule.source}
            </p>
          </div>
          <Places group={group} />
        </div>
      )}
    </li>
  );
}

function Places({ group: { rule, count: found, kept } }: { group: FindingGroup }) {
  const [wanted, setWanted] = useState(PAGE);
  const recording = useRecordings((state) => state.check.recording);
  const to = Math.min(kept, wanted);
  const answer = useAnswer(`${recording} ${rule.id}`, to, (calls) =>
    calls.findings({ rule: rule.id, from: 0, to }),
  );
  const findings = answer?.findings ?? [];
  return (
    <>
      <ul aria-label={`Found: ${rule.title}`}>
        {findings.map((place) => (
          <Place key={place.number} found={place} />
        ))}
      </ul>
      {findings.length > 0 && findings.length < kept && (
        <Button
          variant="ghost"
          size="small"
          className="ml-6"
          onClick={() => setWanted(findings.length + 5 * PAGE)}
        >
          Show {count(Math.min(5 * PAGE, kept - findings.length))} more
        </Button>
      )}
      {findings.length === kept && kept < found && (
        <p className="pt-1 pr-4 pl-8.5 text-12 text-text-subtle">
          The first {count(kept)} are listed. All {count(found)} are marked in the frames; n and p go there.
        </p>
      )}
    </>
  );
}

function Place({ found: { finding, head } }: { found: FoundFinding }) {
  const isCurrent = useFrames((state) => state.selection?.index === head.index && state.isDetailOpen);
  const of = [
    head.context,
    head.turn !== null && `turn ${head.turn}`,
    head.chunk !== null && `chunk ${head.chunk}`,
  ].filter((part) => typeof part === 'string');
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent || undefined}
        onClick={() => void framesView.reveal(head.index)}
        className={cx(
          'block w-full cursor-default py-1 pr-4 pl-8.5 text-left text-12 outline-offset-[-2px] touch:min-h-11',
          isCurrent ? 'bg-selected' : 'hover:bg-hover',
        )}
      >
        <span className="flex gap-2 font-mono text-text-subtle">
          <span className="text-text">#{head.index}</span>
          <span>{sinceStart(head.atUs)}</span>
          <span className="min-w-0 flex-1 truncate text-right">
            <bdi>{of.join(', ')}</bdi>
          </span>
        </span>
        <span className="mt-0.5 block break-words text-text-muted">
          <bdi>{finding.message}</bdi>
        </span>
      </button>
      {finding.sound && <SoundPlace sound={finding.sound} className="pr-4 pb-1.5 pl-8.5" />}
    </li>
  );
}
