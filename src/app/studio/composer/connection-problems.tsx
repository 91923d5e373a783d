import { VolumeX } from 'lucide-react';
import { useStore } from 'zustand';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { Button } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Problems, ProblemsHead, useProblems } from '../transcript/problems.tsx';

/**
 * Notices below the transcript. However many there are, they leave room for the composer: the list is bounded, gives way
 * where the column is low, and scrolls. Its end, where the newest is, stays in view until the reader scrolls up.
 */
export function ConnectionProblems() {
  const problems = useProblems(null);
  return (
    <div className="flex max-h-[min(24vh,176px,50%)] min-h-0 flex-col overflow-y-hidden [scrollbar-gutter:stable_both-edges]">
      <div className="mx-auto flex min-h-0 w-full max-w-[944px] flex-col px-2 wide:px-4">
        <ProblemsHead problems={problems} />
        {/* A reversed column has its end in view. */}
        <div className="flex min-h-0 flex-col-reverse overflow-y-auto overscroll-contain rounded-control">
          <div className="flex shrink-0 flex-col gap-2 not-empty:pb-2">
            <Problems problems={problems} />
            <BlockedSound />
            <Waiting />
          </div>
        </div>
      </div>
    </div>
  );
}

function Waiting() {
  const client = useSessionClient();
  const { state, sinceMs, retry } = useSession((session) => session.connection);
  const replayed = useSession(({ replay }) => replay !== null);
  if (state !== 'connecting' && state !== 'retrying') return null;
  return (
    <p role="status" className="flex items-center gap-2 px-2 text-12 text-waiting">
      <span aria-hidden className="mx-[3px] size-1.5 rounded-full bg-current ring-3 ring-current/20" />
      {state === 'connecting'
        ? 'Waiting for the connection'
        : `The connection broke. Try ${retry?.attempt ?? 1} of ${retry?.of ?? 1} follows`}
      <span aria-hidden className="text-text-subtle">
        <Elapsed sinceMs={sinceMs} />
      </span>
      {state === 'retrying' && !replayed && (
        <Button size="small" variant="ghost" onClick={() => client.send({ type: 'connect' })}>
          Try now
        </Button>
      )}
    </p>
  );
}

function BlockedSound() {
  const { sound } = useSessionClient();
  const { blocked, failure } = useStore(sound.status);
  if (failure) {
    return (
      <Notice severity="error" title="There is no sound output" remedy={failure.remedy}>
        {failure.reason}
      </Notice>
    );
  }
  if (!blocked) return null;
  return (
    <div role="alert" className="flex items-center gap-2.5 rounded-control bg-waiting/10 py-1.5 pr-1.5 pl-3">
      <VolumeX className="size-4 shrink-0 text-waiting" />
      <p className="min-w-0 flex-1 text-13">
        <span className="font-semibold">Sound is paused.</span>{' '}
        <span className="text-text-muted">
          The browser or another program blocks it until you press a button.
        </span>
      </p>
      <Button size="small" onClick={() => sound.wake()}>
        Enable sound
      </Button>
    </div>
  );
}
