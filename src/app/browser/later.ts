import { type ComponentType, lazy } from 'react';

/** Loads at the latest after this time, when the page is usually idle. */
const LATEST_MS = 4000;

/** Runs when the page is idle. */
export function whenIdle(act: () => void): void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: LATEST_MS });
  else setTimeout(act, LATEST_MS / 4);
}

/** Returns a component that loads when the page is idle, or when first rendered. Needs a `Suspense` around it. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const fetchOnce = () => load().then((part) => ({ default: part }));
  // Rendering the part loads it again and shows the failure.
  if (typeof window !== 'undefined') {
    addEventListener('load', () => whenIdle(() => void fetchOnce().catch(() => undefined)), { once: true });
  }
  return lazy(fetchOnce);
}
