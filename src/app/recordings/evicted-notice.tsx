import { counted } from '#lib/format.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { Notice } from '../ui/notice.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { recordingName } from './recording-name.ts';

/** Names the recordings that were deleted to make room, until it is dismissed. */
export function EvictedNotice({ className }: { className: string }) {
  const evicted = useRecordings((state) => state.evicted);
  if (evicted.length === 0) return null;
  return (
    <Notice
      severity="warning"
      title={`${counted(evicted.length, 'recording was', 'recordings were')} deleted`}
      remedy="Pin the recordings that must stay."
      onDismiss={() => recordingsLink.order(({ forgetEvicted }) => forgetEvicted())}
      className={className}
    >
      The room for recordings was full, and a session needed some:
      <ScrollRegion label="Deleted recordings" className="max-h-24 overflow-y-auto">
        <ul className="list-inside list-disc">
          {evicted.map((recording) => (
            <li key={recording.id} className="truncate">
              {recordingName(recording)}
            </li>
          ))}
        </ul>
      </ScrollRegion>
    </Notice>
  );
}
