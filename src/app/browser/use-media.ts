import { useCallback, useMemo, useSyncExternalStore } from 'react';

/** Room for columns side by side; narrower windows have tabs. Equals `wide:` in the styles. */
export const WIDE_MEDIA = '(width >= 900px)';

/** Room for two columns in the stage. Equals `roomy:` in the styles. */
export const ROOMY_MEDIA = '(width >= 1200px)';

/** The person asked the system for less motion. */
export const STILL_MEDIA = '(prefers-reduced-motion: reduce)';

export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query]);
  const subscribe = useCallback(
    (notify: () => void) => {
      list.addEventListener('change', notify);
      return () => list.removeEventListener('change', notify);
    },
    [list],
  );
  return useSyncExternalStore(subscribe, () => list.matches);
}
