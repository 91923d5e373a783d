import { VolumeX } from 'lucide-react';
import { useStore } from 'zustand';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { Button } from '../../ui/button.tsx';
import { Elapsed } from '../../ui/elapsed.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Problems } from '../transcript/problems.tsx';

export function ConnectionProblems() {
  return (
    <div className="flex flex-col gap-2 pb-2 empty:hidden">
      <Waiting />
      <BlockedSound />
      <Problems turn={null} />
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
