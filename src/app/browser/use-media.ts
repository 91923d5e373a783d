import { useCallback, useMemo, useSyncExternalStore } from 'react';

/** From here on the columns stand side by side; below they are tabs. The same width as `wide:` in the styles. */
export const WIDE_MEDIA = '(width >= 900px)';

/** From here on the stage, too, has room for two columns. The same width as `roomy:` in the styles. */
export const ROOMY_MEDIA = '(width >= 1200px)';

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
