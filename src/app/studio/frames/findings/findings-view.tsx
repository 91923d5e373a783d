import { ChevronDown, ChevronRight, X } from 'lucide-react';
import { useId, useState } from 'react';
import { count, counted } from '#lib/format.ts';
import type { Severity } from '#protocol/core/rule.ts';
import type { FindingGroup, FoundFinding } from '#recordings/view/check-view.ts';
import { percent, sinceStart } from '#recordings/view/figures.ts';
import { selectShowsCalls, useRecordings } from '../../../recordings-client/recordings-store.ts';
import { useAnswer } from '../../../recordings-client/use-answer.ts';
import { selectSpeakName, useSettings } from '../../../stores/settings-store.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Empty } from '../../../ui/page.tsx';
import { ScrollRegion } from '../../../ui/scroll-region.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { useFrames } from '../view/frames-store.ts';
import { framesView } from '../view/frames-view.ts';
import { StepButtons } from '../view/step-buttons.tsx';
import { countOfSeverity, isBehind, nothingFound, totalOf, wantedGroups } from './finding-count.ts';
import { RuleReason } from './rule-reason.tsx';
import { LOOKS, SEVERITIES } from './severity.ts';
import { SoundPlace } from './sound-place.tsx';

/** Places of a rule that are listed at first. */
const PAGE = 20;

export function FindingsView({ onClose }: { onClose: () => void }) {
  const withAdvice = useFrames((state) => state.withAdvice);
  const check = useRecordings((state) => state.check);
  const isGrowing = useRecordings((state) => state.shown.isGrowing);
  const [chosen, setChosen] = useState<Severity | 'all'>('all');
  const groups = wantedGroups(check.groups, withAdvice);
  const offered = SEVERITIES.filter((severity) => severity !== 'advice' || withAdvice);
  const only = offered.some((severity) => severity === chosen) ? chosen : 'all';
  const shown = only === 'all' ? groups : groups.filter(({ rule }) => rule.severity === only);
  return (
    <section aria-label="Findings" className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-0.5 gap-y-1 border-b border-border py-1 pr-2 pl-4">
        <h2 className="text-13 font-semibold">Findings</h2>
        <Switch
          checked={withAdvice}
          onChange={(next) => useFrames.setState({ withAdvice: next })}
          className="mr-auto ml-3"
        >
          With advice
        </Switch>
        {groups.length > 0 && (
          <StepButtons
            labels={['Finding before (p)', 'Next finding (n)']}
            onStep={(step) => void framesView.goToFinding(step)}
          />
        )}
        <IconButton size="small" icon={X} label="Close the findings (Esc)" onClick={onClose} />
        <Segmented
          label="Severity"
          size="small"
          fill
          className="basis-full"
          value={only}
          onChange={setChosen}
          options={[
            { value: 'all', label: `All ${count(totalOf(groups))}` },
            ...offered.map((severity) => ({
              value: severity,
              label: `${LOOKS[severity].title} ${count(countOfSeverity(groups, severity))}`,
            })),
          ]}
        />
      </header>
      <ScrollRegion
        label="List of findings"
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-3 outline-offset-[-2px]"
      >
        {shown.length === 0 && <Nothing severity={only} />}
        {SEVERITIES.map((severity) => (
          <Group key={severity} severity={severity} groups={shown} />
        ))}
        {isBehind(check, isGrowing) && shown.length > 0 && (
          <p className="px-4 pt-3 text-12 text-text-subtle">
            {percent(check.checked, check.of)} % of {counted(check.of, 'frame')} checked.
          </p>
        )}
        {check.unread > 0 && (
          <p className="px-4 pt-3 text-12 text-text-subtle">
            {counted(check.unread, 'frame')} could not be checked: a payload of their connection was not kept.
          </p>
        )}
      </ScrollRegion>
    </section>
  );
}

function Nothing({ severity }: { severity: Severity | 'all' }) {
  const check = useRecordings((state) => state.check);
  const isGrowing = useRecordings((state) => state.shown.isGrowing);
  const isOfCalls = useRecordings(selectShowsCalls);
  const speakName = useSettings(selectSpeakName);
  const words =
    check.recording === null
      ? `Broken rules of the protocol, and costly frames, will be listed here. Press ${speakName}.`
      : check.rules === 0
        ? isOfCalls
          ? 'REST calls have no rules. “Problems only” lists those that failed.'
          : 'There are no rules for the endpoint of this recording, so nothing is checked.'
        : isBehind(check, isGrowing)
          ? `Checking ${counted(check.of, 'frame')}: ${percent(check.checked, check.of)} % done.`
          : severity === 'all'
            ? nothingFound(check)
            : `No ${LOOKS[severity].title.toLowerCase()} found.`;
  return <Empty>{words}</Empty>;
}

function Group({ severity, groups }: { severity: Severity; groups: readonly FindingGroup[] }) {
  const own = groups.filter(({ rule }) => rule.severity === severity);
  if (own.length === 0) return null;
  const { icon: Icon, text, title } = LOOKS[severity];
  return (
    <section aria-label={title}>
      <h3 className="flex items-center gap-2 px-4 pt-3 pb-1 text-12 font-medium text-text-muted">
        <Icon className={cx('size-3.5', text)} />
        {title}
      </h3>
      <ul>
        {own.map((group) => (
          <RuleFindings key={group.rule.id} group={group} />
        ))}
      </ul>
    </section>
  );
}

function RuleFindings({ group }: { group: FindingGroup }) {
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
            <p className="font-mono text-text-subtle">{rule.id}</p>
            <RuleReason {...rule} />
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
