import { Check, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { counted } from '#lib/format.ts';
import { messageOf } from '#lib/message-of.ts';
import type { RecordingInfo } from '#trace/entry.ts';
import type { ServedRunView } from '#trace/served-messages.ts';
import { type ServedRecording, useSettings } from '../../stores/settings-store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Group } from '../../ui/page.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { recordingName } from '../recording-name.ts';
import { servedAddresses } from './served-view.ts';
import { serveRecording, stopServing, unlistServed, useServedRuns } from './serving.ts';

interface Props {
  recording: RecordingInfo;
  onClose: () => void;
  /** The page speaks to the recording from now on. */
  onSpeak: () => void;
}

export function ServeDialog({ recording, onClose, onSpeak }: Props) {
  const served = useSettings(({ served }) => served.find((one) => one.recording === recording.id));
  const [failure, setFailure] = useState<string | null>(null);
  const isWanted = !served && failure === null;
  useEffect(() => {
    if (!isWanted) return;
    const abort = new AbortController();
    serveRecording(recording.id, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) setFailure(messageOf(error));
    });
    return () => abort.abort();
  }, [isWanted, recording.id]);
  return (
    <Dialog
      onClose={onClose}
      title={`Serve ${recordingName(recording)}`}
      description="Clients of these addresses get the recorded answers. No key is needed, and nothing is spoken anew."
      width="max-w-[640px]"
    >
      {served ? (
        <Serving
          key={served.id}
          served={served}
          recording={recording}
          onGone={() => setFailure(GONE)}
          onClose={onClose}
          onSpeak={onSpeak}
        />
      ) : failure === null ? (
        <p className="text-13 text-text-muted">The server is reading the recording …</p>
      ) : (
        <Notice
          severity="error"
          title="The recording is not served"
          action={{ label: 'Serve again', onPress: () => setFailure(null) }}
        >
          {failure}
        </Notice>
      )}
    </Dialog>
  );
}

const GONE =
  'Another page stopped it, its server was restarted or is busy, or it made room for another recording.';

interface ServingProps extends Props {
  served: ServedRecording;
  /** The server has it no more. */
  onGone: () => void;
}

function Serving({ served, recording, onGone, onClose, onSpeak }: ServingProps) {
  const runs = useServedRuns(served.id, () => {
    // A busy server refuses the list of a recording that it still has.
    unlistServed(served.id);
    onGone();
  });
  const stop = () => {
    // The open form would serve it again.
    onClose();
    stopServing(served);
  };
  const speak = () => {
    useSettings.getState().chooseServer(served.id);
    onSpeak();
  };
  return (
    <div className="flex flex-col gap-5">
      {served.notes.length > 0 && (
        <Notice severity="warning" title="A part of the recording is not served">
          {served.notes.join(' ')}
        </Notice>
      )}
      <div>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-13">
          {servedAddresses(served.id, recording.endpoint, location.origin).map(({ title, address }) => (
            <div key={title} className="contents">
              <dt className="text-12 text-text-muted">{title}</dt>
              <dd className="flex min-w-0 items-center gap-1">
                <span className="min-w-0 flex-1 font-mono text-12 break-all">{address}</span>
                <CopyButton what={title} text={() => address} size="tiny" />
              </dd>
            </div>
          ))}
        </dl>
        <p className="mt-2 text-12 text-text-muted">
          Give your client the base URL in place of the vendor’s. Each connection plays the recording once.
          The link opens it in a page of this server.
        </p>
      </div>
      <Group title="Connections" label="Connections to the recording">
        {runs.length === 0 ? (
          <p className="py-2 text-12 text-text-subtle">
            Each client appears here with what it does otherwise than the recorded one.
          </p>
        ) : (
          <ul className="flex max-h-64 flex-col overflow-y-auto">
            {runs.map((run) => (
              <Run key={run.number} run={run} />
            ))}
          </ul>
        )}
      </Group>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={stop}>Stop serving</Button>
        {served.endpoint !== null && (
          <Button variant="filled" onClick={speak}>
            Speak to it here
          </Button>
        )}
      </div>
    </div>
  );
}

function Run({ run: { number, what, isOver, count, lines } }: { run: ServedRunView }) {
  return (
    <li className="border-b border-border py-2 text-12 last:border-b-0">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="min-w-48 flex-1 text-13 font-medium">
          {number}. {what}
        </span>
        {!isOver && <Badge tone="live">open</Badge>}
        {count === 0 ? (
          <Badge tone="neutral" icon={Check}>
            as recorded
          </Badge>
        ) : (
          <Badge tone="waiting" icon={TriangleAlert}>
            {counted(count, 'difference')}
          </Badge>
        )}
      </p>
      <p className="whitespace-pre-line break-words text-text-muted">{lines.join('\n')}</p>
    </li>
  );
}
