import { QueryClient, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { CatalogueRequest, DictionaryInfo, OfferedValue, VoiceInfo } from '#protocol/core/catalogue.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { HAS_LOCAL_SERVER } from '../../browser/local-server.ts';
import { keyOf, useKeys } from '../../stores/key-store.ts';
import { selectServerId, useSettings } from '../../stores/settings-store.ts';
import { nameVoices } from '../../wording/voice-name.ts';
import { type CatalogueSource, catalogueKey, restBase, withoutKeys } from './catalogue-source.ts';

/** Debounce of a typed key or address before a request. */
const KEY_SETTLES_MS = 500;

/** Returns where to read catalogues from; null while there is no address, or no key although the server needs one. */
export function useCatalogueSource(endpoint: Endpoint): CatalogueSource | null {
  const chosen = useSettings(selectServerId);
  // A served recording has no voices, and would list the request as a difference.
  const serverId = useSettings(({ served }) => served.some(({ id }) => id === chosen)) ? 'local' : chosen;
  const customBase = useSettings((state) => state.customBases[endpoint.id] ?? '');
  return useCatalogueSourceOf(endpoint, serverId, customBase);
}

/** {@link useCatalogueSource} for a server that is not the page's choice. */
export function useCatalogueSourceOf(
  endpoint: Endpoint,
  serverId: string,
  customBase: string,
): CatalogueSource | null {
  const key = useKeys((state) => keyOf(state, endpoint.id, serverId));
  const server = endpoint.servers.find(({ id }) => id === serverId);
  const needsKey = server?.needsKey ?? false;
  const base = restBase(endpoint, serverId, customBase, location.origin);
  const settledKey = useSettled(key, KEY_SETTLES_MS);
  const settledBase = useSettled(base, KEY_SETTLES_MS);
  if (server?.base === null && !HAS_LOCAL_SERVER) return null;
  // While either is typed, the settled pair could send one server's key to another.
  if (settledBase === null || settledBase !== base || (needsKey && settledKey === '')) return null;
  return { base: settledBase, key: settledKey };
}

/** Returns the value once it has stopped changing for some time. */
function useSettled<T>(value: T, forMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return settled;
}

export interface CatalogueList<T> {
  items: readonly T[];
  state: 'loading' | 'ready' | 'failed' | 'unavailable';
  problem: string | null;
  retry: () => void;
}

/** Voices change rarely, so a list is cached for this long. */
const FRESH_MS = 5 * 60_000;

const NONE: readonly never[] = [];

const queries = new QueryClient();

/**
 * @param read undefined where the vendor has no such list, which is then unavailable
 * @param seen gets each list that was read
 */
function useList<T extends { id: unknown }>(
  endpoint: Endpoint,
  what: 'voices' | 'dictionaries' | 'offered',
  source: CatalogueSource | null,
  read: ((request: CatalogueRequest) => Promise<T[]>) | undefined,
  seen: (items: readonly T[]) => void = () => {},
): CatalogueList<T> {
  const query = useQuery(
    {
      queryKey: catalogueKey(endpoint, what, source),
      queryFn: async ({ signal }) => {
        const items = source && read ? await withoutKeys(read({ ...source, signal })) : [];
        seen(items);
        return items;
      },
      enabled: Boolean(source && read),
      staleTime: FRESH_MS,
      retry: false,
      refetchOnWindowFocus: false,
    },
    queries,
  );
  return {
    items: query.data ?? NONE,
    state:
      !source || !read
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

export interface VoiceChoices extends CatalogueList<VoiceInfo> {
  endpoint: Endpoint;
}

/** Reads the voices of a server; `null` makes the list unavailable. */
export function useVoices(endpoint: Endpoint, source: CatalogueSource | null): VoiceChoices {
  const list = useList(endpoint, 'voices', source, protocolOf(endpoint).catalogue.voices, nameVoices);
  return { ...list, endpoint };
}

/** Lists of a server that settings choose from. */
export interface SettingLists {
  voices: VoiceChoices;
  dictionaries?: CatalogueList<DictionaryInfo>;
  /** Values of open choices. */
  offered?: CatalogueList<OfferedValue>;
}

export function useSettingLists(endpoint: Endpoint, source: CatalogueSource | null): SettingLists {
  const { dictionaries, offered } = protocolOf(endpoint).catalogue;
  return {
    voices: useVoices(endpoint, source),
    dictionaries: useList(endpoint, 'dictionaries', source, dictionaries),
    offered: useList(endpoint, 'offered', source, offered),
  };
}
