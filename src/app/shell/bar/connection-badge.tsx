import { useSyncExternalStore } from 'react';
import { useSession, useSessionClient } from '../../session-client/provider.tsx';
import { ReplayClient } from '../../session-client/replay-client.ts';
import { Badge } from '../../ui/badge.tsx';
import { later } from '../../ui/later.tsx';
import { Popover } from '../../ui/popups/popover.tsx';
import { connectionWords } from './connection-words.ts';

function subscribeToNetwork(notify: () => void): () => void {
  addEventListener('online', notify);
  addEventListener('offline', notify);
  return () => {
    removeEventListener('online', notify);
    removeEventListener('offline', notify);
  };
}

const ConnectionFacts = later('The connection', () =>
  import('./connection-facts.tsx').then((module) => module.ConnectionFacts),
);

export function ConnectionBadge() {
  const client = useSessionClient();
  const connection = useSession((state) => state.connection);
  const online = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  const replayed = client instanceof ReplayClient;
  const isFollowed = useSession(({ replay }) => replay?.followed != null);
  const shown = !replayed ? 'own' : isFollowed ? 'client' : 'replay';
  const { word, tone, note } = connectionWords(connection, { online, shown });
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
      <ConnectionFacts word={word} />
    </Popover>
  );
}
