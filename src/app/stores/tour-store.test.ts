import { beforeEach, expect, test } from 'vitest';
import { finishStep, leaveTour, startTour, TOUR, useTour } from './tour-store.ts';

beforeEach(() => useTour.setState({ step: null, isOver: false }));

test('moves on with each thing done, in order, and ends behind the last', () => {
  startTour();
  for (const [at, { target }] of TOUR.entries()) {
    expect(useTour.getState().step).toBe(at);
    finishStep(target);
  }
  expect(useTour.getState().step).toBeNull();
});

test('ignores what another step is about, and everything outside of the tour', () => {
  finishStep('speak');
  expect(useTour.getState().step).toBeNull();
  startTour();
  finishStep('cancel');
  expect(useTour.getState().step).toBe(0);
});

test('counts as seen once it has begun, however it is left', () => {
  startTour();
  leaveTour();
  expect(useTour.getState()).toMatchObject({ step: null, isOver: true });
});
