import { counted } from '#lib/format.ts';
import { NO_LOCAL_SERVER } from '../../browser/local-server.ts';
import { useSession } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { selectDraft, useSettings } from '../../stores/settings-store.ts';
import { cx } from '../../ui/cx.ts';
import { NoteLine } from '../../ui/notice.tsx';
import { textCount } from './text-rules.ts';

export function TextStatus({ limit }: { limit: number }) {
  const live = useSettings((state) => state.sendWhileTyping);
  const draft = useSettings(selectDraft);
  return live ? <LiveStatus /> : <TextLength text={draft} limit={limit} />;
}

export const CannotSend = ({ words, role = 'status' }: { words: string; role?: 'status' | 'alert' }) => (
  // A static page without a server is no failure.
  <NoteLine role={role} isMuted={words === NO_LOCAL_SERVER}>
    {words}
  </NoteLine>
);

export function TextLength({ text, limit }: { text: string; limit: number }) {
  const { words, tone, problem } = textCount(text, limit);
  if (problem) return <CannotSend words={problem} role="alert" />;
  return (
    <p className={cx('truncate', tone === 'near' ? 'text-waiting' : 'text-text-subtle max-wide:hidden')}>
      <span className={cx('font-mono', tone === 'plain' && 'text-text-muted')}>{words}</span>
      <span className="@max-[560px]:sr-only"> characters</span>
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
        ? 'Sent text leaves the box and appears in the transcript.'
        : `${counted(open, 'frame')} sent in this turn`}
    </p>
  );
}
