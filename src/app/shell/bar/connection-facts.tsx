import { bytes, counted, milliseconds } from '#lib/format.ts';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { ReplayClient } from '../../session-client/replay-client.ts';
import { Button } from '../../ui/button.tsx';
import { PopoverDescription, PopoverTitle } from '../../ui/popups/popover.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

const OF_REPLAY = 'Nothing is connected for it, and nothing is sent. The connection as it was recorded:';
const OF_CLIENT = 'Another program has this connection, and nothing is sent on it from here.';

/** The contents of the connection's popover. @param word the state of the connection */
export function ConnectionFacts({ word }: { word: string }) {
  const client = useSessionClient();
  const connection = useSession((state) => state.connection);
  const replayed = client instanceof ReplayClient;
  const isFollowed = useSession(({ replay }) => replay?.followed != null);
  const connected = connection.state === 'open';
  const closed = connected ? null : connection.close;
  const [action, press] = replayed
    ? [isFollowed ? 'Leave the client' : 'Leave the replay', () => client.leave()]
    : connected
      ? ['Disconnect', () => client.send({ type: 'disconnect' })]
      : ['Connect', () => client.send({ type: 'connect' })];
  return (
    <>
      <PopoverTitle className="text-14 font-semibold">{word}</PopoverTitle>
      {(replayed || closed) && (
        <PopoverDescription className="mt-1 text-12 text-text-muted">
          {replayed
            ? `${isFollowed ? OF_CLIENT : OF_REPLAY} ${closed?.meaning ?? ''}`
            : `${closed?.meaning} ${closed?.remedy}`}
        </PopoverDescription>
      )}
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-12">
        <Fact title="Address" value={connection.address ?? 'none yet'} />
        {connection.open > 1 && <Fact title="Open" value={counted(connection.open, 'connection')} />}
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
    </>
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
