import { useEffect } from 'react';
import { onceLoaded } from '../../browser/idle.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { selectNewest } from '../../session-client/session-state.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { finishStep, offerTour, useTour } from '../../stores/tour-store.ts';
import { useNarrowPanel } from '../../stores/view-store.ts';
import { later } from '../../ui/later.tsx';

const TourStrip = later('The tour', () => import('./tour-strip.tsx').then((module) => module.TourStrip));

/** The tour, between transcript and composer. It takes room of the transcript, so that it covers no control. */
export function Tour() {
  const step = useTour((state) => state.step);
  const client = useSessionClient();
  useDoneSteps();
  useEffect(
    () =>
      onceLoaded(() => {
        offerTour();
        // Somebody may be quicker than the page.
        if (client.state.turnIds.length > 0) finishStep('speak');
      }),
    [client],
  );
  return step === null ? null : <TourStrip step={step} />;
}

/** Finishes each step after the action that it shows. */
function useDoneSteps(): void {
  const client = useSessionClient();
  useEffect(() => {
    const leaveSession = client.store.subscribe((state, before) => {
      if (state.turnIds.length > before.turnIds.length) finishStep('speak');
      const newest = selectNewest(state);
      if (newest?.bargeIn && !before.turns.get(newest.id)?.bargeIn) finishStep('cancel');
    });
    const leaveDock = useSettings.subscribe((state, before) => {
      if (state.dockTab !== before.dockTab) finishStep('inside');
    });
    const leaveNarrow = useNarrowPanel.subscribe(() => finishStep('inside'));
    return () => {
      leaveSession();
      leaveDock();
      leaveNarrow();
    };
  }, [client]);
}
