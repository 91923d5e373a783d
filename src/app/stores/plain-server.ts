import { normalBase, webSocketBase } from './server-address.ts';
import { type PageSettings, selectEndpoint, selectServerId, serverOf } from './settings-store.ts';

/** Returns the chosen server as other pages know it: by its id, or by an address, which a served recording has as well. */
export function plainServer(
  page: Pick<PageSettings, 'endpoint' | 'servers' | 'customBases'>,
): { id: string } | { address: string } {
  const endpoint = selectEndpoint(page);
  const id = selectServerId(page);
  const server = serverOf(endpoint, id);
  if (!server) return { address: normalBase(page.customBases[endpoint.id] ?? '') };
  return endpoint.servers.includes(server)
    ? { id }
    : { address: webSocketBase(endpoint, server, location.origin) };
}
