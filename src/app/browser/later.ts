import { type ComponentType, lazy } from 'react';

/** Nothing of this is needed in the first seconds, and by then the page is quiet. */
const LATEST_MS = 4000;

function whenIdle(act: () => void): void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: LATEST_MS });
  else setTimeout(act, LATEST_MS / 4);
}

/**
 * A part of the page that the first paint does without: fetched when the page is idle, so that it is there when it is
 * asked for, or at once where it is asked for before. Show it within a `Suspense`.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const fetchOnce = () => load().then((part) => ({ default: part }));
  // A failure is told by the part itself, once somebody wants to see it.
  if (typeof window !== 'undefined') {
    addEventListener('load', () => whenIdle(() => void fetchOnce().catch(() => undefined)), { once: true });
  }
  return lazy(fetchOnce);
}
