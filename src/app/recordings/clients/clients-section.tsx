import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { ClientView } from '#recordings/capture/client-view.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { useStudioSessions } from '../../session-client/provider.tsx';
import type { StudioSessions } from '../../session-client/studio-sessions.ts';
import { showPanel } from '../../stores/view-store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { Group } from '../../ui/page.tsx';
import { PagedList } from '../../ui/rows/paged-list.tsx';
import { replayedRecording } from '../recording-name.ts';
import { BUSY, useIsBusy } from '../replay-button.tsx';
import { baseUrls, clientFigures, clientState, detourOf, findingWords } from './client-words.ts';
import { markSeen } from './seen-clients.ts';

/** Other programs on the server of this page. Nothing where the server captures none. */
export function ClientsSection({ onOpen }: { onOpen: () => void }) {
  const clients = useRecordings((state) => state.clients);
  useEffect(() => markSeen(clients ?? []), [clients]);
  if (!clients) return null;
  return (
    <Group
      title="Clients of this server"
      className="max-h-64 min-h-24 shrink-0 overflow-y-auto border-b border-border px-5 pt-2 pb-1"
    >
      {clients.length === 0 ? (
        <div className="flex flex-col gap-1 pt-1 pb-2 text-13 text-text-muted">
          <p>
            Each program that connects to this server appears here with its frames, findings and voice. Point
            your application at one of these addresses in place of the vendor’s host:
          </p>
          <Addresses />
        </div>
      ) : (
        <>
          <PagedList label="Clients" items={clients} className="-mx-3">
            {(client) => <Client key={client.id} client={client} onOpen={onOpen} />}
          </PagedList>
          <Addresses />
        </>
      )}
    </Group>
  );
}

function Addresses() {
  return (
    <ul aria-label="Addresses for an application" className="flex flex-wrap items-center gap-x-4 text-12">
      {baseUrls(location.origin).map((url) => (
        <li key={url} className="flex min-w-0 items-center gap-1">
          <span className="truncate font-mono text-text-muted">{url}</span>
          <CopyButton what={url} text={() => url} size="tiny" />
        </li>
      ))}
    </ul>
  );
}

const FINDING_LOOKS = {
  failed: { icon: CircleAlert, text: 'text-failed' },
  waiting: { icon: TriangleAlert, text: 'text-waiting' },
  none: { icon: null, text: '' },
} as const;

function Client({ client, onOpen }: { client: ClientView; onOpen: () => void }) {
  const sessions = useStudioSessions();
  const isBusy = useIsBusy();
  const isShown = useRecordings(
    ({ shown }) => client.recording !== null && shown.recording?.id === client.recording,
  );
  const program = client.program === '' ? 'A program without a name' : client.program;
  const { word, tone } = clientState(client);
  const detour = detourOf(client);
  const found = findingWords(client);
  const { icon: Icon, text } = FINDING_LOOKS[found.tone];
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control px-3 py-2 hover:bg-hover">
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 text-13 font-medium">
          <span className="max-w-full truncate" title={program}>
            {program}
          </span>
          <Badge tone={tone}>{word}</Badge>
          {isShown && <span className="text-12 font-normal text-text-subtle">shown</span>}
        </p>
        <p className="text-12 text-text-subtle">
          <span className="font-mono">{client.endpoint || 'unknown endpoint'}</span>
          {detour !== null && (
            <>
              {' '}
              through <span className="font-mono break-all">{detour}</span>
            </>
          )}
          , {clientFigures(client)},{' '}
          <span className={cx('whitespace-nowrap', text)}>
            {Icon && <Icon aria-hidden className="mr-1 inline size-3 align-[-2px]" />}
            {found.words}
          </span>
        </p>
      </div>
      <Button
        size="small"
        aria-label={`Open ${program}`}
        disabledReason={isBusy ? BUSY : null}
        onClick={() => {
          void openClient(sessions, client.id);
          onOpen();
        }}
      >
        Open
      </Button>
    </li>
  );
}

/** Shows a client's frames, and its session in place of the live one where this page has followed it from the start. */
async function openClient(sessions: StudioSessions, client: string): Promise<void> {
  const opened = await recordingsLink.query((calls) => calls.openClient(client), null);
  if (!opened) return;
  const { recording, follows } = opened;
  const { id, endpoint } = recording;
  recordingsLink.order(({ show }) => show(id));
  if (!follows || !ENDPOINTS.some((one) => one.id === endpoint)) {
    // Only the frames panel shows a recording that is not replayed.
    showPanel('frames');
    return;
  }
  sessions.openReplay({ ...replayedRecording(recording), follows }, recordingsLink.serve(id, follows));
}
