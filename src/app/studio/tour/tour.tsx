import { useEffect } from 'react';
import { onceLoaded } from '../../browser/idle.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { selectNewest } from '../../session-client/session-state.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { finishStep, offerTour, TOUR, useTour } from '../../stores/tour-store.ts';
import { useView } from '../../stores/view-store.ts';
import { later } from '../../ui/later.tsx';

const TourStrip = later('The tour', () => import('./tour-strip.tsx').then((module) => module.TourStrip));

/** The tour, between transcript and composer. It takes room of the transcript, so that it covers no control. */
export function Tour() {
  const step = useTour((state) => state.step);
  const client = useSessionClient();
  const { sender } = client;
  useDoneSteps(sender);
  useEffect(() => {
    onceLoaded(() => {
      offerTour();
      // Somebody may be quicker than the page.
      if (sender.state.turnIds.length > 0) finishStep('speak');
    });
  }, [sender]);
  // Cancel concerns the page's own turns, not those of another client or a recording.
  const isShown = step !== null && (TOUR[step]?.target !== 'cancel' || client === sender);
  return isShown && <TourStrip step={step} />;
}

/** Finishes each step after the action that it shows. @param sender the page's own session, also while another is shown */
function useDoneSteps(sender: SessionClient): void {
  useEffect(() => {
    const leaves = [
      sender.store.subscribe((state, before) => {
        if (state.turnIds.length > before.turnIds.length) finishStep('speak');
        const newest = selectNewest(state);
        if (newest?.bargeIn && !before.turns.get(newest.id)?.bargeIn) finishStep('cancel');
      }),
      useSettings.subscribe((state, before) => {
        if (state.dockTab !== before.dockTab) finishStep('inside');
      }),
      useView.subscribe((state, before) => {
        if (state.panel !== before.panel) finishStep('inside');
      }),
    ];
    return () => {
      for (const leave of leaves) leave();
    };
  }, [sender]);
}
