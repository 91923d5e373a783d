import { paint } from './paint.ts';

/** Runs at the latest after this time, when the page is usually idle. */
const LATEST_MS = 4000;

/** Runs when the page is idle. */
export function whenIdle(act: () => void): void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === 'function') requestIdleCallback(act, { timeout: LATEST_MS });
  else setTimeout(act, LATEST_MS / 4);
}

let resolveFirstPicture = () => {};

/** Resolves after the first picture, which must not wait for parts that load by themselves. */
export const firstPicture = new Promise<void>((resolve) => {
  resolveFirstPicture = resolve;
});

/** Resolves {@link firstPicture} right after the next picture. Called once the page is rendered. */
export function awaitPicture(): void {
  const remove = paint.add(() => {
    remove();
    setTimeout(resolveFirstPicture);
    return false;
  });
}

/** Runs when the page has loaded and is idle. */
export function onceLoaded(act: () => void): void {
  if (typeof window === 'undefined') return;
  if (document.readyState === 'complete') whenIdle(act);
  else addEventListener('load', () => whenIdle(act), { once: true });
}

let ahead: Promise<unknown> = Promise.resolve();

/**
 * Loads parts one after another once the page has loaded and is idle, and no voice begins, so that what is shown has the
 * line and the page's thread to itself.
 */
export function loadAhead(load: () => Promise<unknown>): void {
  const quiet = () => new Promise<void>((resolve) => paint.besideVoices(resolve));
  onceLoaded(() => {
    // Rendering the part loads it again and shows the failure.
    ahead = ahead
      .then(quiet)
      .then(load)
      .catch(() => undefined);
  });
}
