import { useSyncExternalStore } from 'react';

const subscribe = (notify: () => void): (() => void) => {
  addEventListener('online', notify);
  addEventListener('offline', notify);
  return () => {
    removeEventListener('online', notify);
    removeEventListener('offline', notify);
  };
};

/** Whether the browser has any network. A local server may be there without one. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);
