import { z } from '#protocol/core/zod.ts';
import { persisted } from '../browser/persisted.ts';
import { SETTINGS_STORAGE_NAME } from './settings-store.ts';

/** Part of the page that a step of the tour is about. */
export type TourTarget = 'speak' | 'cancel' | 'inside';

interface TourStep {
  target: TourTarget;
  title: string;
  /** @param button name of the button that speaks */
  text: (button: string) => string;
}

export const TOUR: readonly TourStep[] = [
  {
    target: 'speak',
    title: 'Hear it',
    text: (button) =>
      `Press ${button}, also with words of your own. Each word lights up as its sound leaves the speakers.`,
  },
  {
    target: 'cancel',
    title: 'Interrupt it',
    text: () => 'Press Cancel or Esc while the voice speaks. It stops at once, and the turn shows how soon.',
  },
  {
    target: 'inside',
    title: 'Look inside',
    text: () => 'Timeline shows when text was sent, and audio came and was heard. Frames lists all messages.',
  },
];

const stored = z.object({ isOver: z.catch(z.boolean(), false) });

interface View {
  /** Index of the step in view; null outside of the tour. A reload forgets it. */
  step: number | null;
}

export const useTour = persisted<typeof stored, View>('voicewire.tour', stored, () => ({ step: null }));

const hasStored = (name: string): boolean => {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    // Without storage the page cannot know of earlier visits, and would show the tour in each.
    return true;
  }
};

/** Whether this browser opens the page for the first time. Read before the page stores anything. */
const isFirstVisit = !hasStored(SETTINGS_STORAGE_NAME) && !hasStored('voicewire.tour');

/** Shows the tour on a first visit. It counts as seen from then on, so that no later visit shows it. */
export function offerTour(): void {
  if (isFirstVisit && !useTour.getState().isOver) startTour();
}

export const startTour = (): void => useTour.setState({ step: 0, isOver: true });

export const leaveTour = (): void => useTour.setState({ step: null });

/** Moves on from a step, and leaves the tour behind the last one. Does nothing in another step. */
export function finishStep(target: TourTarget): void {
  const { step } = useTour.getState();
  if (step === null || TOUR[step]?.target !== target) return;
  useTour.setState({ step: step + 1 < TOUR.length ? step + 1 : null });
}

/** Returns the style of a control while the tour is about it. */
export const usePointedAt = (target: TourTarget): string | undefined =>
  useTour(({ step }) => (step !== null && TOUR[step]?.target === target ? 'pointed-at' : undefined));
