import { FolderOpen, Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { bytes, counted, seconds } from '#lib/format.ts';
import type { StoredRecording } from '#recordings/store/database.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { selectSpeakName, useSettings } from '../stores/settings-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/fields/form.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Empty } from '../ui/page.tsx';
import { Dialog } from '../ui/popups/dialog.tsx';
import { PagedList } from '../ui/rows/paged-list.tsx';
import { ClientsSection } from './clients/clients-section.tsx';
import { EvictedNotice } from './evicted-notice.tsx';
import { ExportButton } from './files/export-button.tsx';
import { MoreRecordings } from './files/more-recordings.tsx';
import { recordingName, startOf } from './recording-name.ts';
import { ReplayIcon } from './replay-button.tsx';
import { ServeButton } from './serve/serve-button.tsx';

const MAX_NAME_CHARS = 80;

export function RecordingsDialog({ onClose }: { onClose: () => void }) {
  const list = useRecordings((state) => state.list);
  const live = useRecordings((state) => state.live);
  const growing = useRecordings((state) => state.growing);
  const space = useRecordings((state) => state.space);
  const speakName = useSettings(selectSpeakName);
  useEffect(() => recordingsLink.order(({ refresh }) => refresh()), []);
  const used = list?.reduce((sum, { storedBytes }) => sum + storedBytes, 0) ?? 0;
  return (
    <Dialog
      onClose={onClose}
      title="Recordings"
      description={
        list &&
        `${counted(list.length, 'recording')} in this browser, ${bytes(used)}${space ? ` of the ${bytes(space.quotaBytes)} that it grants` : ''}. Pinned ones are never deleted to make room.`
      }
      width="max-w-[640px]"
      flush
    >
      <EvictedNotice className="m-2 shrink-0" />
      <ClientsSection onOpen={onClose} />
      {!list?.length && (
        <Empty>
          {list
            ? `Each session is recorded by itself and listed here. Press ${speakName} to begin one.`
            : 'Reading the list …'}
        </Empty>
      )}
      {list && list.length > 0 && (
        <PagedList label="Recordings" items={list} className="min-h-17 px-2 py-1 max-wide:min-h-32">
          {(recording) => (
            <Recording
              key={recording.id}
              recording={recording}
              isGrowing={recording.id === live || growing.includes(recording.id)}
              onShow={() => {
                recordingsLink.order(({ show }) => show(recording.id === live ? null : recording.id));
                onClose();
              }}
              onSpeak={onClose}
            />
          )}
        </PagedList>
      )}
      <MoreRecordings onOpen={onClose} />
    </Dialog>
  );
}

interface RecordingProps {
  recording: StoredRecording;
  isGrowing: boolean;
  onShow: () => void;
  onSpeak: () => void;
}

function Recording({ recording, isGrowing, onShow, onSpeak }: RecordingProps) {
  const [asks, setAsks] = useState<'name' | 'delete' | null>(null);
  const isShown = useRecordings((state) => state.shown.recording?.id === recording.id);
  const { id, endpoint, startedAtMs, durationUs, entries, pinned } = recording;
  const name = recordingName(recording);
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-control px-3 py-2 hover:bg-hover">
      {asks === 'name' ? (
        <NameForm recording={recording} onDone={() => setAsks(null)} />
      ) : (
        <div className="min-w-48 flex-1">
          <p className="flex items-center gap-2 text-13 font-medium">
            <span className="truncate">{name}</span>
            {isGrowing && <Badge tone="live">recording</Badge>}
            {isShown && <span className="text-12 font-normal text-text-subtle">shown</span>}
            {pinned && (
              <Badge tone="neutral" icon={Pin}>
                pinned
              </Badge>
            )}
          </p>
          <p className="truncate text-12 text-text-subtle">
            <span className="font-mono">{endpoint}</span>
            {name !== startOf(startedAtMs) && `, ${startOf(startedAtMs)}`}, {seconds(durationUs / 1e6)},{' '}
            {counted(entries, 'frame')}, {bytes(recording.storedBytes)}
          </p>
        </div>
      )}
      {asks === 'delete' ? (
        <span className="flex items-center gap-1">
          <span className="mr-1 text-12 text-text-muted">It cannot be brought back.</span>
          <Button
            size="small"
            autoFocus
            onClick={() => recordingsLink.order((calls) => calls.delete(id))}
            className="text-failed"
          >
            Delete for good
          </Button>
          <Button size="small" variant="ghost" onClick={() => setAsks(null)}>
            Keep
          </Button>
        </span>
      ) : (
        asks === null && (
          <span className="flex items-center touch:-mx-2.5">
            <IconButton size="small" icon={FolderOpen} label={`Show ${name}`} onClick={onShow} />
            <ReplayIcon recording={recording} onReplay={onShow} />
            <ExportButton recording={recording} />
            <ServeButton recording={recording} onSpeak={onSpeak} />
            <IconButton size="small" icon={Pencil} label={`Rename ${name}`} onClick={() => setAsks('name')} />
            <IconButton
              size="small"
              icon={pinned ? PinOff : Pin}
              label={pinned ? `Unpin ${name}` : `Pin ${name}`}
              onClick={() => recordingsLink.order(({ change }) => change(id, { pinned: !pinned }))}
            />
            <IconButton
              size="small"
              icon={Trash2}
              label={`Delete ${name}`}
              onClick={() => setAsks('delete')}
            />
          </span>
        )
      )}
    </li>
  );
}

function NameForm({ recording, onDone }: { recording: StoredRecording; onDone: () => void }) {
  const [name, setName] = useState(recording.name);
  const keep = () => {
    if (name.trim() !== recording.name)
      recordingsLink.order(({ change }) => change(recording.id, { name: name.trim() }));
    onDone();
  };
  return (
    <Form className="flex min-w-0 flex-1 items-center gap-2" onSubmit={keep}>
      <TextField
        label={`Name of ${recordingName(recording)}`}
        placeholder={startOf(recording.startedAtMs)}
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_CHARS}
        autoFocus
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Otherwise Escape would close the dialog too.
          event.stopPropagation();
          onDone();
        }}
        className="h-7 flex-1"
      />
      <Button size="small" onClick={keep}>
        Rename
      </Button>
    </Form>
  );
}
