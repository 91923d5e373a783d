import { Headphones, Radio, Rewind, X } from 'lucide-react';
import { counted, seconds, withMinus } from '#lib/format.ts';
import type { ReplayView } from '#session/replay/replay-view.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { positionNow, type ReplayClient } from '../../session-client/replay-client.ts';
import { atEarliest, leadMs } from '../../session-client/timeline/earliest.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Defined } from '../../ui/defined.tsx';
import { useNow } from '../../ui/elapsed.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

const TICK_MS = 100;

/** Another client whose session is shown as it goes on. */
export function ClientBar({ client, replay }: { client: ReplayClient; replay: ReplayView }) {
  const { recording, state, followed, missing, problem } = replay;
  const hasEnded = state === 'ended';
  const isListening = followed?.isListening === true;
  const isConnected = useRecordings(({ clients }) => clients !== null);
  useNow(TICK_MS, !hasEnded);
  return (
    <section
      aria-label="Client"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-0.5 border-b border-border bg-selected px-2 py-1 wide:px-3"
    >
      <p className="flex min-w-0 flex-1 items-center gap-2 text-13 font-medium">
        <Radio aria-hidden className="size-4 shrink-0 text-text-muted" />
        <span className="truncate">
          <span className="text-text-muted">Client</span> {recording.name}
        </span>
        <Badge tone={hasEnded ? 'neutral' : 'live'}>{hasEnded ? 'ended' : 'live'}</Badge>
      </p>
      <p className="flex items-center gap-x-3 text-12 text-text-muted max-wide:order-last max-wide:basis-full">
        <span className="font-mono tabular-nums">{seconds(positionNow(replay) / 1000)}</span>
        <Lead />
      </p>
      {hasEnded ? (
        <Button size="small" icon={Rewind} onClick={() => client.control({ do: 'play' })}>
          Replay
        </Button>
      ) : (
        <Button
          size="small"
          icon={Headphones}
          aria-pressed={isListening}
          className="aria-pressed:border-live aria-pressed:text-live"
          onClick={() => client.control({ do: 'listen', isListening: !isListening })}
        >
          Listen
        </Button>
      )}
      <Button size="small" icon={X} onClick={() => client.leave()}>
        <span>
          Leave<span className="max-wide:sr-only"> the client</span>
        </span>
      </Button>
      {!hasEnded && !isConnected && (
        <p role="status" className="basis-full text-12 text-waiting">
          The server does not answer, so nothing new is shown. The page tries again.
        </p>
      )}
      {problem !== null && (
        <p role="alert" className="basis-full text-12 text-failed">
          {problem}
        </p>
      )}
      {missing > 0 && (
        <p className="basis-full text-12 text-waiting">
          The server had to drop {counted(missing, 'frame')} of this client, so they are missing here.
        </p>
      )}
    </section>
  );
}

function Lead() {
  const { store } = useSessionClient();
  const nowMs = useNow(TICK_MS);
  const ms = leadMs(atEarliest([...store.getState().turns.values()]), nowMs);
  return (
    <Defined definition={DEFINITIONS.lead}>
      least buffer{' '}
      <span className="font-mono text-text tabular-nums">
        {ms === null ? 'empty' : withMinus(ms / 1000, seconds)}
      </span>
    </Defined>
  );
}
