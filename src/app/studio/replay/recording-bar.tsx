import { Radio, Rewind, X } from 'lucide-react';
import { counted } from '#lib/format.ts';
import type { ReplayView } from '#session/replay/replay-view.ts';
import type { ReplayClient } from '../../session-client/replay-client.ts';
import { Button } from '../../ui/button.tsx';
import { ClientControls } from './client-controls.tsx';
import { ReplayControls } from './replay-controls.tsx';

/** The bar of what is shown in place of the live session: a replay, or the session of another client. */
export function RecordingBar({ client, replay }: { client: ReplayClient; replay: ReplayView }) {
  const { recording, followed, missing, problem } = replay;
  const Icon = followed ? Radio : Rewind;
  const Controls = followed ? ClientControls : ReplayControls;
  return (
    <section
      aria-label={followed ? 'Client' : 'Replay'}
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-0.5 border-b border-border bg-selected px-2 py-1 wide:px-3"
    >
      <p className="flex min-w-0 items-center gap-2 text-13 font-medium max-wide:flex-1 wide:max-w-1/3">
        <Icon aria-hidden className="size-4 shrink-0 text-text-muted" />
        <span className="truncate">
          <span className="text-text-muted">{followed ? 'Client' : 'Replay of'}</span> {recording.name}
        </span>
      </p>
      <Controls client={client} replay={replay} />
      <Button size="small" icon={X} onClick={() => client.leave()}>
        <span>
          Leave<span className="max-wide:sr-only"> the {followed ? 'client' : 'replay'}</span>
        </span>
      </Button>
      {problem !== null && (
        <p role="alert" className="basis-full text-12 text-failed">
          {problem}
        </p>
      )}
      {missing > 0 && (
        <p className="basis-full text-12 text-waiting">
          {counted(missing, 'frame')} could not be{' '}
          {followed
            ? 'shown: the server had to drop them.'
            : 'replayed: the recording does not have what was in them.'}
        </p>
      )}
    </section>
  );
}
