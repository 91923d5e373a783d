import { ArrowDownUp } from 'lucide-react';
import { type RefObject, useLayoutEffect, useState } from 'react';
import { showFramesOf } from '../frames/show-frames.ts';
import { useSelection } from '../stores/selection-store.ts';
import { Button } from '../ui/button.tsx';

export interface FramesActionProps {
  turn: number;
  /** What positions it; the marked text is in it. */
  box: RefObject<HTMLElement | null>;
}

const GAP_PX = 4;

/** Over the word that was pressed: the frames that its sound came in. */
export function FramesAction({ turn, box }: FramesActionProps) {
  const selected = useSelection(({ selected, by }) =>
    by === 'transcript' && selected?.turn === turn ? selected : null,
  );
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    const outer = box.current;
    const marked = selected && outer?.querySelector<HTMLElement>('[data-selected]');
    if (!outer || !marked) return;
    const around = outer.getBoundingClientRect();
    const [word = marked.getBoundingClientRect()] = marked.getClientRects();
    const room = Math.max(0, around.width - ACTION_PX);
    const inView = outer.closest('section')?.getBoundingClientRect().top ?? 0;
    const above = word.top - ACTION_HEIGHT_PX - GAP_PX;
    setPlace({
      left: Math.min(Math.max(0, word.left - around.left), room),
      // Of the topmost line the place above is out of view.
      top: (above < inView ? word.bottom + GAP_PX : above) - around.top,
    });
  }, [selected, box]);
  if (!selected) return null;
  return (
    <div className="absolute z-2" style={place}>
      <Button
        size="small"
        icon={ArrowDownUp}
        className="bg-surface-raised shadow-high hover:bg-surface-raised"
        onClick={() => void showFramesOf(selected)}
      >
        Frames
      </Button>
    </div>
  );
}

/** About its own size, so that it stays in the column. */
const ACTION_PX = 88;
const ACTION_HEIGHT_PX = 28;
