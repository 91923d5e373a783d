import { useMemo } from 'react';
import { describeIssue } from '#protocol/core/issue.ts';
import { Notice } from '../ui/notice.tsx';
import { FramePreview } from './frame-preview.tsx';
import type { HintedText } from './language-hint.tsx';
import { SettingRows } from './setting-rows.tsx';
import { groupsOf, otherIssues, undescribedFields } from './setting-value.ts';
import type { Setup } from './use-setup.ts';
import type { SettingLists } from './voices/use-catalogue.ts';

export interface FormViewProps {
  setup: Setup;
  lists: SettingLists;
  spoken: HintedText;
  onShowJson: () => void;
}

export function FormView({ setup, lists, spoken, onShowJson }: FormViewProps) {
  const { endpoint, settings, issues, pending, setFields } = setup;
  const groups = useMemo(() => groupsOf(endpoint.settings), [endpoint]);
  const fields = useMemo(() => new Set(endpoint.settings.map(({ field }) => field)), [endpoint]);
  const unknown = undescribedFields(settings, fields);
  const rest = otherIssues(issues, fields);
  const showJson = { label: 'Show', onPress: onShowJson };

  return (
    <>
      {!setup.textReadable && (
        <Notice severity="warning" title="The JSON cannot be read" action={showJson}>
          The form shows the last values that could be, and they are what is sent.
        </Notice>
      )}
      {rest.map((issue) => (
        <Notice key={issue.path} severity="error" title="The config frame is not valid" action={showJson}>
          {describeIssue(issue)}
        </Notice>
      ))}
      {groups.map(({ name, heading, settings: members }) => (
        <section key={name} aria-label={name} className="flex flex-col gap-4">
          {heading !== null && (
            <h3 className="-mx-4 mt-0.5 -mb-0.5 border-t border-border px-4 pt-2.5 text-12 font-medium text-text-subtle">
              {heading}
            </h3>
          )}
          <SettingRows
            settings={members}
            values={settings}
            issues={issues}
            pending={pending}
            spoken={spoken}
            onChange={setFields}
            {...lists}
          />
        </section>
      ))}
      {unknown.length > 0 && (
        <Notice severity="info" title="Also sent, unknown to this endpoint" action={showJson}>
          <code>{unknown.join(', ')}</code>: ignored by the server.
        </Notice>
      )}
      <FramePreview endpoint={endpoint} settings={settings} />
    </>
  );
}
