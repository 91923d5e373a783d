import { Headphones, Rewind } from 'lucide-react';
import { seconds, withMinus } from '#lib/format.ts';
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

/** Plays another client whose session is shown as it goes on, and says how far it is. */
export function ClientControls({ client, replay }: { client: ReplayClient; replay: ReplayView }) {
  const hasEnded = replay.state === 'ended';
  const isListening = replay.followed?.isListening === true;
  const isConnected = useRecordings(({ clients }) => clients !== null);
  useNow(TICK_MS, !hasEnded);
  return (
    <>
      <p className="flex flex-1 flex-wrap items-center gap-x-3 whitespace-nowrap text-12 text-text-muted max-wide:order-last max-wide:basis-full">
        <Badge tone={hasEnded ? 'neutral' : 'live'}>{hasEnded ? 'ended' : 'live'}</Badge>
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
      {!hasEnded && !isConnected && (
        <p role="status" className="order-1 basis-full text-12 text-waiting">
          The server does not answer, so nothing new is shown. The page tries again.
        </p>
      )}
    </>
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
