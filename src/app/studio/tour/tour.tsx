import { useEffect } from 'react';
import { onceLoaded } from '../../browser/idle.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { finishStep, offerTour, useTour } from '../../stores/tour-store.ts';
import { later } from '../../ui/later.tsx';

const TourStrip = later('The tour', () => import('./tour-strip.tsx').then((module) => module.TourStrip));

/** The tour, between transcript and composer. It takes room of the transcript, so that it covers no control. */
export function Tour() {
  const step = useTour((state) => state.step);
  const client = useSessionClient();
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
