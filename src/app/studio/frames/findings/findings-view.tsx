import { X } from 'lucide-react';
import { useState } from 'react';
import { count, counted } from '#lib/format.ts';
import type { Severity } from '#protocol/core/rule.ts';
import type { FindingGroup } from '#recordings/view/check-view.ts';
import { percent } from '#recordings/view/figures.ts';
import { selectShowsCalls, useRecordings } from '../../../recordings-client/recordings-store.ts';
import { selectSpeakName, useSettings } from '../../../stores/settings-store.ts';
import { cx } from '../../../ui/cx.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { ScrollRegion } from '../../../ui/scroll-region.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { useFrames } from '../view/frames-store.ts';
import { framesView } from '../view/frames-view.ts';
import { StepButtons } from '../view/step-buttons.tsx';
import { countOfSeverity, isBehind, nothingFound, totalOf, wantedGroups } from './finding-count.ts';
import { RuleFindings } from './rule-findings.tsx';
import { LOOKS, SEVERITIES } from './severity.ts';

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
  return <p className="px-4 py-6 text-center text-13 text-text-muted">{words}</p>;
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
