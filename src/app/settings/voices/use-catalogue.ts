import { useQuery } from '@tanstack/react-query';
import type { DictionaryInfo, VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { type CatalogueSource, catalogueKey } from './catalogue-source.ts';

/** A list from the server: what is there, what is missing, and why. */
export interface CatalogueList<T> {
  items: readonly T[];
  state: 'loading' | 'ready' | 'failed' | 'unavailable';
  /** Why it failed, in words. */
  problem: string | null;
  retry: () => void;
}

/** Voices change rarely; reading them again on every look would only wear the server. */
const FRESH_MS = 5 * 60_000;

const NONE: readonly never[] = [];

function useList<T>(
  endpoint: Endpoint,
  what: 'voices' | 'dictionaries',
  source: CatalogueSource | null,
  read: (source: CatalogueSource, signal: AbortSignal) => Promise<T[]>,
): CatalogueList<T> {
  const query = useQuery({
    queryKey: catalogueKey(endpoint, what, source),
    queryFn: ({ signal }) => (source ? read(source, signal) : Promise.resolve([])),
    enabled: source !== null,
    staleTime: FRESH_MS,
    retry: false,
    refetchOnWindowFocus: false,
  });
  return {
    items: query.data ?? NONE,
    state:
      source === null
        ? 'unavailable'
        : query.isPending || (query.isError && query.isFetching)
          ? 'loading'
          : query.isError
            ? 'failed'
            : 'ready',
    problem: query.error?.message ?? null,
    retry: () => void query.refetch(),
  };
}

/** The voices of the server in use; `null` where no server can be asked yet. */
export const useVoices = (endpoint: Endpoint, source: CatalogueSource | null): CatalogueList<VoiceInfo> =>
  useList(endpoint, 'voices', source, ({ base, key }, signal) =>
    endpoint.catalogue.voices({ base, key, signal }),
  );

/** The dictionaries of the server in use. */
export const useDictionaries = (
  endpoint: Endpoint,
  source: CatalogueSource | null,
): CatalogueList<DictionaryInfo> =>
  useList(endpoint, 'dictionaries', source, ({ base, key }, signal) =>
    endpoint.catalogue.dictionaries({ base, key, signal }),
  );
