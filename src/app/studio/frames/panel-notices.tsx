import { useState } from 'react';
import { count } from '#lib/format.ts';
import type { PageEndpointId } from '#protocol/core/endpoint.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { MAX_ROWS } from '#recordings/recordings-view.ts';
import { percent } from '#recordings/view/figures.ts';
import { MAX_RECORDED } from '#trace/entry.ts';
import { EvictedNotice } from '../../recordings/evicted-notice.tsx';
import { useImport } from '../../recordings/files/import-file.ts';
import { recordingName } from '../../recordings/recording-name.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, type NoticeProps } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { useFrames } from './view/frames-store.ts';

export function PanelNotices() {
  const { memoryReason, message } = useRecordings((state) => state.recorder);
  /** The reason that was dismissed. Another reason is shown again. */
  const [read, setRead] = useState<typeof memoryReason>(null);
  const isMissed = useFrames((state) => state.isMissed);
  const failure = useRecordings((state) => state.failure);
  const { recording, isLive, isGrowing, loaded, rows } = useRecordings((state) => state.shown);
  const notes = useImport((state) => state.notes);
  const notices: (NoticeProps | false)[] = [
    message !== null &&
      read !== memoryReason && {
        severity: 'warning',
        title:
          memoryReason === 'noDatabase'
            ? 'Recordings are not stored'
            : 'Recording stopped: it is not stored any more',
        children: `${message} Sound is not affected.`,
        onDismiss: () => setRead(memoryReason),
      },
    failure !== null && {
      severity: 'error',
      title: 'The recordings could not do that',
      children: failure,
      onDismiss: () => useRecordings.setState({ failure: null }),
    },
    isMissed && {
      severity: 'warning',
      title: 'Its frames are not in this recording',
      children: 'They came before it began, or nothing of it has come yet.',
      remedy: `A recording begins with each server, and goes on in another one after ${count(MAX_RECORDED)} frames.`,
      onDismiss: () => useFrames.setState({ isMissed: false }),
    },
    rows === MAX_ROWS && {
      severity: 'info',
      title: `The list ends after ${count(MAX_ROWS)} rows`,
      remedy: 'A filter shows later frames. Search and rules cover all of the recording.',
    },
    notes !== null &&
      notes.place !== null &&
      notes.recording === recording?.id && {
        severity: 'warning',
        title: 'Its endpoint is unknown',
        children: <EndpointChoice onChoose={notes.place} />,
        onDismiss: () => useImport.setState({ notes: { ...notes, place: null } }),
      },
    notes !== null &&
      notes.sentences.length > 0 &&
      notes.recording === recording?.id && {
        severity: 'warning',
        title: 'The file was opened, with remarks',
        children: notes.sentences.join(' '),
        action: notes.split ? { label: 'Split by address', onPress: notes.split } : undefined,
        onDismiss: () => useImport.setState({ notes: null }),
      },
  ];
  return (
    <>
      {notices.map(
        (notice) => notice && <Notice key={String(notice.title)} {...notice} className="m-2 shrink-0" />,
      )}
      <EvictedNotice className="m-2 shrink-0" />
      {!isLive && recording && (
        <p className="flex min-h-9 shrink-0 items-center gap-2 border-b border-border bg-selected px-4 py-1 text-12 text-text-muted">
          <span className="min-w-0 flex-1 truncate">
            {isGrowing
              ? 'A client of the server is shown, as it goes on:'
              : 'A recording of before is shown:'}{' '}
            <strong className="font-semibold text-text">{recordingName(recording)}</strong>
            {loaded < recording.entries && `, ${percent(loaded, recording.entries)} % loaded`}
          </span>
          <Button size="small" onClick={() => recordingsLink.order(({ show }) => show(null))}>
            Back to this session
          </Button>
        </p>
      )}
    </>
  );
}

const ENDPOINT_OPTIONS = PAGE_ENDPOINTS.map(({ id, title }) => ({ value: id, label: title }));

/** Asks for the endpoint of an imported file, without which no frame of it is read. */
const EndpointChoice = ({ onChoose }: { onChoose: (endpoint: PageEndpointId) => void }) => (
  <>
    <p>Its frames are shown, but speech and rules need an endpoint.</p>
    <Select
      label="Endpoint of the file"
      placeholder="Choose an endpoint"
      options={ENDPOINT_OPTIONS}
      value={null}
      onChange={onChoose}
      size="small"
      className="mt-1.5"
    />
  </>
);
