import { useEffect } from 'react';
import { onceLoaded } from '../../browser/idle.ts';
import { offerTour, useTour } from '../../stores/tour-store.ts';
import { later } from '../../ui/later.tsx';

const TourStrip = later('The tour', () => import('./tour-strip.tsx').then((module) => module.TourStrip));

/** The tour, between transcript and composer. It takes room of the transcript, so that it covers no control. */
export function Tour() {
  const step = useTour((state) => state.step);
  useEffect(() => onceLoaded(offerTour), []);
  return step === null ? null : <TourStrip step={step} />;
}
