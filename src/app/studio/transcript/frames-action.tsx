import { ArrowDownUp } from 'lucide-react';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { useSelection, useSessionClient } from '../../session-client/provider.tsx';
import { Button } from '../../ui/button.tsx';
import { showFramesOf } from '../frames/view/show-frames.ts';

const GAP_PX = 4;
/** Approximate size of the button on a touch screen, which keeps it in view. */
const ACTION_PX = 88;
const ACTION_HEIGHT_PX = 44;

/**
 * Button above the selected word that shows the frames of its audio.
 * @param box positioned ancestor of the button and of the marked text
 */
export function FramesAction({ turn, box }: { turn: number; box: RefObject<HTMLElement | null> }) {
  const client = useSessionClient();
  const selected = useSelection(({ selected, by }) =>
    by === 'transcript' && selected?.turn === turn ? selected : null,
  );
  const action = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const outer = box.current;
    const marked = selected && outer?.querySelector<HTMLElement>('[data-selected]');
    if (!outer || !marked || !action.current) return;
    const around = outer.getBoundingClientRect();
    const [word = marked.getBoundingClientRect()] = marked.getClientRects();
    const room = Math.max(0, around.width - ACTION_PX);
    const inView = outer.closest('section')?.getBoundingClientRect().top ?? 0;
    // Above the topmost line the button would be out of view.
    const isAbove = word.top - ACTION_HEIGHT_PX - GAP_PX >= inView;
    const left = Math.min(Math.max(0, word.left - around.left), room);
    const top = (isAbove ? word.top - GAP_PX : word.bottom + GAP_PX) - around.top;
    Object.assign(action.current.style, {
      left: `${left}px`,
      top: `${top}px`,
      translate: isAbove ? '0 -100%' : '',
    });
  }, [selected, box]);
  if (!selected) return null;
  return (
    <div ref={action} className="absolute z-2">
      <Button
        size="small"
        icon={ArrowDownUp}
        className="bg-surface-raised shadow-high hover:bg-surface-raised"
        onClick={() => void showFramesOf(client, selected)}
      >
        Frames
      </Button>
    </div>
  );
}
