import { type ComponentProps, useState } from 'react';
import type { FoundFinding } from '#recordings/view/check-view.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';
import { useCopy } from '../../../ui/copy-button.tsx';
import { cx } from '../../../ui/cx.ts';
import { framesView } from '../view/frames-view.ts';
import { reportText } from './report-text.ts';
import { RuleReason } from './rule-reason.tsx';
import { LOOKS } from './severity.ts';
import { SoundPlace } from './sound-place.tsx';

export function FindingNote({ found }: { found: FoundFinding }) {
  const { id, severity, title, message, why, group, anchors, related, sound } = found.finding;
  const [isExplained, setExplained] = useState(false);
  const { icon: Icon, text, tint, word } = LOOKS[severity];
  return (
    <li className={cx('flex gap-2.5 rounded-control py-2.5 pr-3 pl-3', tint)}>
      <Icon className={cx('mt-0.5 size-4 shrink-0', text)} />
      <div className="min-w-0 flex-1 py-px">
        <h3 className="text-13 font-semibold break-words">
          <span className="sr-only">{word}: </span>
          {title}
        </h3>
        <p className="mt-0.5 text-12 break-words text-text-muted">
          <bdi>{message}</bdi>
        </p>
        {sound && <SoundPlace sound={sound} className="mt-1.5" />}
        {isExplained && (
          <div className="mt-1.5 border-t border-border pt-1.5 text-12 text-text-muted">
            <RuleReason {...{ why, group, anchors }} />
          </div>
        )}
        <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-12">
          <span className="min-w-0 flex-1 truncate font-mono text-text-subtle" title={id}>
            {id}
          </span>
          {related !== null && (
            <TextButton onClick={() => void framesView.reveal(related)}>Frame {related}</TextButton>
          )}
          <TextButton onClick={() => setExplained(!isExplained)} aria-expanded={isExplained}>
            Why
          </TextButton>
          <CopyReport found={found} />
        </div>
      </div>
    </li>
  );
}

function CopyReport({ found }: { found: FoundFinding }) {
  const { said, copy } = useCopy(() => reportText(found, useRecordings.getState().shown.recording));
  return (
    <>
      <TextButton onClick={copy}>{said || 'Copy report'}</TextButton>
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  );
}

const TextButton = (props: ComponentProps<'button'>) => (
  <button
    {...props}
    type="button"
    className="shrink-0 cursor-default rounded-inner font-medium underline decoration-border-strong underline-offset-4 hover:decoration-text touch:min-h-11 touch:min-w-11"
  />
);
