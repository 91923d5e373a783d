import { ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { bytes } from '#lib/format.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { describeIssue } from '#protocol/core/issue.ts';
import { contextIdOf } from '#text/script.ts';
import { byteLength } from '#trace/frame-size.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { openingFrames } from './frame-text.ts';
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

function FramePreview({ endpoint, settings }: { endpoint: Endpoint; settings: Settings }) {
  const first = useScene((state) => castOf(state, endpoint)[0]);
  const opens = first && { context: contextIdOf(first.name), settings: first.settings };
  const frame = openingFrames(endpoint, settings, opens).join('\n');
  return (
    <details className="group -mx-4 border-t border-border px-4 pt-1">
      <summary className="flex h-9 cursor-default list-none items-center gap-1.5 rounded-control text-13 font-medium touch:h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight className="-ml-1 size-3.5 text-text-subtle group-open:rotate-90" />
        <span className="flex-1">{first ? `Config frame of ${first.name}` : 'Config frame'}</span>
        <span className="font-mono text-12 font-normal text-text-subtle">{bytes(byteLength(frame))}</span>
      </summary>
      <div className="relative mb-3 rounded-control border border-border-strong bg-surface-sunken py-2 pr-10 pl-2.5">
        <pre className="font-mono text-12 leading-5 break-all whitespace-pre-wrap text-text">{frame}</pre>
        <span className="absolute top-1 right-1 touch:top-0 touch:right-0">
          <CopyButton key={frame} what="the config frame" text={() => frame} />
        </span>
      </div>
    </details>
  );
}
