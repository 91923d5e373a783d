import { AudioLines, ChartGantt, Layers } from 'lucide-react';
import { useSessionClient, useTurn } from '../../../session-client/provider.tsx';
import type { Selected } from '../../../session-client/selection.ts';
import { type PanelName, showPanel } from '../../../stores/view-store.ts';
import { Button } from '../../../ui/button.tsx';

interface ShowInProps {
  /** Number of the frame, see `ShownView.firstNumber`. */
  frame: number | null;
  turn: number;
  chunk: number | null;
  /** The word that is spoken in it first, by its place in the chunk; null where none is known. */
  word: { chunk: number; word: number } | null;
}

const PANELS: readonly { panel: PanelName; label: string; icon: typeof Layers }[] = [
  { panel: 'stage', label: 'Transcript', icon: AudioLines },
  { panel: 'chunks', label: 'Chunks', icon: Layers },
  { panel: 'timeline', label: 'Timeline', icon: ChartGantt },
];

export function ShowIn({ frame, turn, chunk, word }: ShowInProps) {
  // A turn of an older recording is in no other panel.
  const { selection } = useSessionClient();
  if (useTurn(turn) === undefined) return null;
  const show = (panel: PanelName) => {
    if (panel === 'chunks') selection.chooseTurn(turn);
    const whole: Selected =
      chunk === null ? { kind: 'frame', frame, turn, chunk } : { kind: 'chunk', turn, chunk };
    const isOfChunk = panel === 'chunks' && chunk !== null;
    selection.select(word && !isOfChunk ? { kind: 'word', turn, ...word } : whole, 'frames');
    showPanel(panel);
  };
  return (
    <div className="flex flex-wrap items-center gap-1 text-12 text-text-subtle">
      <span className="mr-1">Show in</span>
      {PANELS.map(({ panel, label, icon }) => (
        <Button key={panel} size="small" variant="ghost" icon={icon} onClick={() => show(panel)}>
          {label}
        </Button>
      ))}
    </div>
  );
}
