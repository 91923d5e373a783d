import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useRecordings } from '../stores/recordings-store.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { FrameDetail } from './detail/frame-detail.tsx';
import { ShowIn } from './detail/show-in.tsx';
import { useBecame } from './detail/use-became.ts';
import { useFrames } from './frames-store.ts';
import { framesView } from './frames-view.ts';
import { useEntry } from './use-entry.ts';

/** The selected frame, whole. */
export function DetailPane({ onClose }: { onClose: () => void }) {
  const index = useFrames((state) => state.selection?.index ?? null);
  const entry = useEntry(index);
  const became = useBecame(entry?.kind === 'audio' && entry.direction === 'in' ? entry.index : null);
  const isLive = useRecordings((state) => state.shown.isLive);
  if (!entry) return null;
  const [word = null] = became?.words ?? [];
  return (
    <FrameDetail
      entry={entry}
      became={became}
      tools={
        <>
          <IconButton
            size="small"
            icon={ChevronUp}
            label="Frame before (k)"
            onClick={() => framesView.move(-1, 0)}
          />
          <IconButton
            size="small"
            icon={ChevronDown}
            label="Next frame (j)"
            onClick={() => framesView.move(1, 0)}
          />
          <IconButton size="small" icon={X} label="Close the detail (Esc)" onClick={onClose} />
        </>
      }
    >
      {isLive && entry.turn !== null && (
        <ShowIn index={entry.index} turn={entry.turn} chunk={entry.chunk} word={word} />
      )}
    </FrameDetail>
  );
}
