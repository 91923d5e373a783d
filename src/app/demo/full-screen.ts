import { useSyncExternalStore } from 'react';

const subscribe = (notify: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', notify);
  return () => document.removeEventListener('fullscreenchange', notify);
};

const isFull = (): boolean => document.fullscreenElement !== null;

/** A phone may have no full screen. */
export const CAN_FILL_SCREEN = typeof document !== 'undefined' && document.fullscreenEnabled === true;

export const useFullScreen = (): boolean => useSyncExternalStore(subscribe, isFull);

/** Enters full screen, or leaves it. Needs a gesture. Where the browser refuses, the page stays as it is. */
export function toggleFullScreen(): void {
  const change = isFull() ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  change.catch(() => undefined);
}

export function leaveFullScreen(): void {
  if (isFull()) toggleFullScreen();
}
