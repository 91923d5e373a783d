import { Check, CircleAlert, X } from 'lucide-react';
import { goToMode } from '../stores/mode-store.ts';
import { setDemo, useView } from '../stores/view-store.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

/** Says whether something was added to the playlist, and leads there. */
export function AddedNote() {
  const added = useView((state) => state.added);
  const close = () => useView.setState({ added: null });
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-16 z-40 flex justify-center px-3 empty:hidden"
    >
      {added && (
        <div className="pointer-events-auto flex max-w-full items-center gap-2 rounded-panel border border-border bg-surface-raised py-1.5 pr-1.5 pl-3 text-13 shadow-high">
          {'refusal' in added ? (
            <CircleAlert aria-hidden className="size-4 shrink-0 text-failed" />
          ) : (
            <Check aria-hidden className="size-4 shrink-0 text-live" />
          )}
          <span className="min-w-0">
            {'refusal' in added ? (
              `Not added to the demo. ${added.refusal}`
            ) : (
              <>
                Added to <strong className="font-medium">{added.playlist}</strong> as item {added.place}
              </>
            )}
          </span>
          <Button
            size="small"
            onClick={() => {
              close();
              goToMode('studio');
              setDemo(true);
            }}
          >
            Show
          </Button>
          <IconButton label="Dismiss" icon={X} size="small" tooltip={false} onClick={close} />
        </div>
      )}
    </div>
  );
}
