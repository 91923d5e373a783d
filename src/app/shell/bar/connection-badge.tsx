import { Popover as Base } from '@base-ui/react/popover';
import { useSyncExternalStore } from 'react';
import { bytes, counted, milliseconds } from '#lib/format.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { ReplayClient } from '../../session-client/replay-client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { connectionWords } from './connection-words.ts';

function subscribeToNetwork(notify: () => void): () => void {
  addEventListener('online', notify);
  addEventListener('offline', notify);
  return () => {
    removeEventListener('online', notify);
    removeEventListener('offline', notify);
  };
}

const OF_REPLAY = 'Nothing is connected for it, and nothing is sent. The connection as it was recorded:';
const OF_CLIENT = 'Another program has this connection, and nothing is sent on it from here.';

export function ConnectionBadge() {
  const client = useSessionClient();
  const connection = useSession((state) => state.connection);
  const online = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  const replayed = client instanceof ReplayClient;
  const isFollowed = useSession(({ replay }) => replay?.followed != null);
  const shown = !replayed ? 'own' : isFollowed ? 'client' : 'replay';
  const { word, tone, note } = connectionWords(connection, { online, shown });
  const connected = connection.state === 'open';
  const closed = connected ? null : connection.close;
  const [action, press] = replayed
    ? [isFollowed ? 'Leave the client' : 'Leave the replay', () => client.leave()]
    : connected
      ? ['Disconnect', () => client.send({ type: 'disconnect' })]
      : ['Connect', () => client.send({ type: 'connect' })];
  return (
    <Popover
      openOnHover
      trigger={
        <button
          type="button"
          aria-label={`Connection: ${word}${note ? `, ${note}` : ''}`}
          className="inline-flex h-8 shrink-0 cursor-default items-center gap-2.5 rounded-control px-2 hover:bg-hover data-popup-open:bg-selected touch:h-11"
        >
          <Badge tone={tone}>{word}</Badge>
          {note && (
            <span className="truncate font-mono text-12 text-text-subtle max-[1520px]:hidden">{note}</span>
          )}
        </button>
      }
      align="start"
      className="w-80"
    >
      <Base.Title className="text-14 font-semibold">{word}</Base.Title>
      {(replayed || closed) && (
        <Base.Description className="mt-1 text-12 text-text-muted">
          {replayed
            ? `${isFollowed ? OF_CLIENT : OF_REPLAY} ${closed?.meaning ?? ''}`
            : `${closed?.meaning} ${closed?.remedy}`}
        </Base.Description>
      )}
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-12">
        <Fact title="Address" value={connection.address ?? 'none yet'} />
        {connection.handshakeMs !== null && (
          <Fact title="Handshake" value={milliseconds(connection.handshakeMs)} hint={DEFINITIONS.handshake} />
        )}
        {closed && <Fact title="Close code" value={`${closed.code} ${closed.name}`} />}
        {closed?.reason && <Fact title="Reason" value={closed.reason} />}
        <Fact
          title="Sent"
          value={`${counted(connection.framesSent, 'frame')}, ${bytes(connection.bytesSent)}`}
        />
        <Fact
          title="Received"
          value={`${counted(connection.framesReceived, 'frame')}, ${bytes(connection.bytesReceived)}`}
        />
      </dl>
      <div className="mt-4 flex gap-2">
        <Button size="small" onClick={press}>
          {action}
        </Button>
      </div>
    </Popover>
  );
}

function Fact({ title, value, hint }: { title: string; value: string; hint?: string }) {
  return (
    <>
      <dt className="text-text-subtle">{title}</dt>
      <dd className="min-w-0 font-mono break-words text-text">
        {value}
        {hint && <span className="mt-0.5 block font-sans text-text-subtle">{hint}</span>}
      </dd>
    </>
  );
}
