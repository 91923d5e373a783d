import { History } from 'lucide-react';
import { useEffect } from 'react';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { openDialog } from '../../stores/view-store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { clientCounts, markSeen, useSeenClients } from './seen-clients.ts';

/** Shows how many clients the server has, and opens their list. Nothing without a client. @param isLong in words at any width */
export function ClientsButton({ isLong = false }: { isLong?: boolean }) {
  const upToMs = useSeenClients((state) => state.upToMs);
  // Selects counts only, because the figures of a client change twice a second.
  const connected = useRecordings(({ clients }) => clientCounts(clients ?? [], upToMs).connected);
  const unseen = useRecordings(({ clients }) => clientCounts(clients ?? [], upToMs).unseen);
  const isListed = useRecordings(({ clients }) => clients !== null);
  useEffect(() => {
    // Clients of before the page are no news.
    if (isListed && useSeenClients.getState().upToMs === null)
      markSeen(useRecordings.getState().clients ?? []);
  }, [isListed]);
  if (connected === 0 && unseen === 0) return null;
  const [count, word] = connected > 0 ? [connected, 'connected'] : [unseen, 'new'];
  return (
    <Tooltip content="Clients of this server" side="bottom">
      <button
        type="button"
        aria-label={`Clients of this server: ${count} ${word}`}
        onClick={() => openDialog('recordings')}
        className="inline-flex h-8 shrink-0 cursor-default items-center rounded-control px-2 hover:bg-hover touch:h-11 touch:min-w-11 touch:justify-center"
      >
        <Badge tone={connected > 0 ? 'live' : 'neutral'} icon={connected > 0 ? undefined : History}>
          <span>
            {count}
            <span className={isLong ? '' : 'max-[1240px]:hidden'}>
              {connected === 0 ? ' new' : ''} {count === 1 ? 'client' : 'clients'}
            </span>
          </span>
        </Badge>
      </button>
    </Tooltip>
  );
}
