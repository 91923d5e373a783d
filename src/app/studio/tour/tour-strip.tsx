import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useSessionClient } from '../../session-client/provider.tsx';
import { selectBusy } from '../../session-client/session-state.ts';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { finishStep, leaveTour, TOUR } from '../../stores/tour-store.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';

export function TourStrip({ step }: { step: number }) {
  useEscape();
  const speakName = useSettings(selectSpeakName);
  const shown = TOUR[step];
  if (!shown) return null;
  const { target, title, text } = shown;
  return (
    <div className="shrink-0 overflow-y-hidden [scrollbar-gutter:stable_both-edges]">
      <div className="mx-auto w-full max-w-[944px] px-2 pb-2 wide:px-4">
        <section
          aria-label="Tour"
          className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-panel border border-border bg-surface-sunken py-1.5 pr-1.5 pl-4 text-13 max-wide:pl-3"
        >
          <p aria-live="polite" className="min-w-0 flex-1 basis-64 py-1 text-text-muted">
            <span className="mr-2 font-medium text-text">{title}</span>
            {text(speakName)}
          </p>
          <div className="ml-auto flex items-center gap-1">
            <span className="mr-2 font-mono text-12 text-text-subtle">
              {step + 1} of {TOUR.length}
            </span>
            <Button size="small" variant="ghost" onClick={() => finishStep(target)}>
              {step + 1 < TOUR.length ? 'Next' : 'Done'}
            </Button>
            <IconButton size="small" icon={X} label="Leave the tour" onClick={leaveTour} />
          </div>
        </section>
      </div>
    </div>
  );
}

/** Leaves the tour by Esc, unless the key cancels speech or closes a layer. */
function useEscape(): void {
  const client = useSessionClient();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !selectBusy(client.state)) leaveTour();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [client]);
}
