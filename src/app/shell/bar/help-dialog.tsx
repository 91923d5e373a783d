import { shortcutList } from '../../browser/shortcuts.ts';
import { goToMode } from '../../stores/mode-store.ts';
import { startTour } from '../../stores/tour-store.ts';
import { setDemo, useView } from '../../stores/view-store.ts';
import { Button, Kbd } from '../../ui/button.tsx';
import { Dialog, type DialogProps } from '../../ui/popups/dialog.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';

/** The tour is in the studio, on the stage. */
function showTour(): void {
  goToMode('studio');
  setDemo(false);
  useView.setState({ panel: 'stage' });
  startTour();
}

export function HelpDialog({ onClose }: Pick<DialogProps, 'onClose'>) {
  return (
    <Dialog onClose={onClose} title="Keys" flush>
      <ScrollRegion label="List of keys" className="overflow-y-auto p-5">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-5 gap-y-2.5 text-13">
          {shortcutList().map(({ keys, does }) => (
            <div key={keys + does} className="contents">
              <dt>
                <Kbd
                  keys={keys}
                  className="inline-block rounded-inner border border-border-strong bg-surface-sunken px-1.5 leading-5 text-text"
                />
              </dt>
              <dd className="text-text-muted">{does}</dd>
            </div>
          ))}
        </dl>
      </ScrollRegion>
      <footer className="flex flex-wrap items-center justify-between gap-2 border-t border-border px-5 py-3 text-12 text-text-muted">
        <Button
          size="small"
          onClick={() => {
            onClose();
            showTour();
          }}
        >
          Show the tour
        </Button>
        <a
          href="licences.txt"
          target="_blank"
          rel="noreferrer"
          className="inline-block underline underline-offset-2 touch:py-3"
        >
          Licences of bundled packages
        </a>
      </footer>
    </Dialog>
  );
}
