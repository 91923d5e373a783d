import { useEffect, useState, useSyncExternalStore } from 'react';

/** The pointer disappears after this long without a move. */
const POINTER_RESTS_MS = 3000;

/** Keeps the screen on while a playlist runs by itself. Where the browser refuses, it may go dark. */
export function useWakeLock(isOn: boolean): void {
  useEffect(() => {
    if (!isOn || !('wakeLock' in navigator)) return;
    let lock: WakeLockSentinel | null = null;
    let isLeft = false;
    const hold = () => {
      // The browser ends the lock of a hidden page.
      if (document.visibilityState !== 'visible') return;
      navigator.wakeLock.request('screen').then(
        (held) => {
          lock = held;
          if (isLeft) void held.release();
        },
        () => undefined,
      );
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      isLeft = true;
      document.removeEventListener('visibilitychange', hold);
      void lock?.release();
    };
  }, [isOn]);
}

/** Whether the pointer rests, so that it is no part of the picture. */
export function usePointerRests(isWatched: boolean): boolean {
  const [rests, setRests] = useState(false);
  useEffect(() => {
    if (!isWatched) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const moved = () => {
      setRests(false);
      clearTimeout(timer);
      timer = setTimeout(() => setRests(true), POINTER_RESTS_MS);
    };
    moved();
    addEventListener('pointermove', moved);
    return () => {
      clearTimeout(timer);
      removeEventListener('pointermove', moved);
      setRests(false);
    };
  }, [isWatched]);
  return rests;
}

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
