import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { z } from '#protocol/core/zod.ts';

const named = z.array(z.looseObject({ id: z.union([z.number(), z.string()]), name: z.string() }));

/** Returns a voice's name from the catalogues loaded so far, else its number. Never loads one. */
export function useVoiceName(id: unknown): string {
  const client = useQueryClient();
  const subscribe = useCallback((notify: () => void) => client.getQueryCache().subscribe(notify), [client]);
  return useSyncExternalStore(subscribe, () => {
    if (typeof id !== 'number' && typeof id !== 'string') return 'No voice';
    for (const [key, data] of client.getQueriesData({ queryKey: ['catalogue'] })) {
      if (!key.includes('voices')) continue;
      const voices = named.safeParse(data);
      const voice = voices.success
        ? voices.data.find((candidate) => String(candidate.id) === String(id))
        : undefined;
      if (voice) return voice.name;
    }
    // A described voice has no id but its description.
    return /\s/.test(String(id)) ? String(id) : `Voice ${id}`;
  });
}
