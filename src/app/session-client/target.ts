import type { Target } from '#session/commands.ts';
import { HAS_LOCAL_SERVER, NO_LOCAL_SERVER } from '../browser/local-server.ts';
import { type activeFaults, withMark } from '../stores/faults-store.ts';
import { keyOf } from '../stores/key-store.ts';
import { addressProblem, faultyBase, serverBase } from '../stores/server-address.ts';
import {
  CUSTOM_SERVER,
  type PageSettings,
  selectEndpoint,
  selectServerId,
  selectSettings,
  serverOf,
} from '../stores/settings-store.ts';

type Chosen = Pick<PageSettings, 'endpoint' | 'servers' | 'customBases' | 'settings'>;

/**
 * Returns the target of the next connection; null where the typed address is invalid.
 * @param faults on purpose; null for none
 */
export function targetOf(
  page: Chosen,
  keys: Parameters<typeof keyOf>[0],
  pageOrigin: string,
  faults: ReturnType<typeof activeFaults> = null,
): Target | null {
  const endpoint = selectEndpoint(page);
  const serverId = selectServerId(page);
  const base = serverBase(endpoint, serverId, page.customBases[endpoint.id] ?? '', pageOrigin);
  if (base === null) return null;
  const marked = faults && { base: faultyBase(base, withMark(faults.spec, faults.mark)), mark: faults.mark };
  return { endpoint: endpoint.id, key: keyOf(keys, endpoint.id, serverId), base, ...marked };
}

/** Returns why nothing can be sent with these choices, and what to do; null where it can. */
export function obstacleOf(page: Chosen, keys: Parameters<typeof keyOf>[0]): string | null {
  const endpoint = selectEndpoint(page);
  const serverId = selectServerId(page);
  if (serverId === CUSTOM_SERVER) {
    const problem = addressProblem(page.customBases[endpoint.id] ?? '');
    if (problem) return `The server's address cannot be used. ${problem}`;
  }
  const server = serverOf(endpoint, serverId);
  if (server?.base === null && !HAS_LOCAL_SERVER) return NO_LOCAL_SERVER;
  if (server?.needsKey && keyOf(keys, endpoint.id, serverId) === '') {
    return `${server.title} needs a key: enter it in Set-up.`;
  }
  const [issue] = endpoint.checkSettings(selectSettings(page));
  if (issue) return `Set-up holds a value that the server would refuse: ${issue.path}.`;
  return null;
}
