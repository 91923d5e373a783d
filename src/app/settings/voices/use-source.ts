import type { Endpoint } from '#protocol/core/endpoint.ts';
import { HAS_LOCAL_SERVER } from '../../browser/local-server.ts';
import { keyOf, useKeys } from '../../stores/key-store.ts';
import { selectServerId, useSettings } from '../../stores/settings-store.ts';
import { useSettled } from '../use-settled.ts';
import { type CatalogueSource, restBase } from './catalogue-source.ts';

/** How long a key must stand before it is tried on the server. */
const KEY_SETTLES_MS = 500;

/** Where to read voices from; null while there is no address or the key that the server asks for is missing. */
export function useCatalogueSource(endpoint: Endpoint): CatalogueSource | null {
  const serverId = useSettings(selectServerId);
  const customBase = useSettings((state) => state.customBases[endpoint.id] ?? '');
  return useCatalogueSourceOf(endpoint, serverId, customBase);
}

/** The same for a server that is not the page's own choice. */
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
  // While either is being typed the last source would be a wrong pair: another server's key.
  if (settledBase === null || settledBase !== base || (needsKey && settledKey === '')) return null;
  return { base: settledBase, key: settledKey };
}
