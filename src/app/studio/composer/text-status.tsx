import { CircleAlert } from 'lucide-react';
import { counted } from '#lib/format.ts';
import { NO_LOCAL_SERVER } from '../../browser/local-server.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { selectDraft, useSettings } from '../../stores/settings-store.ts';
import { cx } from '../../ui/cx.ts';
import { textCount } from './text-rules.ts';

/** How long the text is against what the server takes; in live typing, how much of the turn is out. */
export function TextStatus({ limit }: { limit: number }) {
  const live = useSettings((state) => state.sendWhileTyping);
  const draft = useSettings(selectDraft);
  return live ? <LiveStatus /> : <TextLength text={draft} limit={limit} />;
}

/** What stands in the way of speaking, in words beside the button that it holds back. */
export function Obstacle({ words }: { words: string }) {
  // A page without a server has not failed at anything.
  const tone = words === NO_LOCAL_SERVER ? 'text-text-muted' : 'text-failed';
  return (
    <p role="status" className={cx('flex items-start gap-1.5', tone)}>
      <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={1.75} />
      {words}
    </p>
  );
}

/** The count, and what to do where the text is too long. */
export function TextLength({ text, limit }: { text: string; limit: number }) {
  const { words, tone, problem } = textCount(text, limit);
  if (problem) {
    return (
      <p role="alert" className="flex items-start gap-1.5 text-failed">
        <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={1.75} />
        {problem}
      </p>
    );
  }
  return (
    <p className={cx('truncate', tone === 'near' ? 'text-waiting' : 'text-text-subtle max-wide:hidden')}>
      <span className={cx('font-mono', tone === 'plain' && 'text-text-muted')}>{words}</span> characters
    </p>
  );
}

function LiveStatus() {
  const open = useSession((state) => {
    const newest = selectNewest(state);
    return newest?.state === 'sending' && newest.flushedMs === null ? newest.textFrames : 0;
  });
  return (
    <p className="text-text-subtle">
      {open === 0
        ? 'What is sent leaves the box and stands in the transcript.'
        : `${counted(open, 'frame')} sent in this turn`}
    </p>
  );
}
