import { API_ROLES, type ApiRoleId } from '#text/api/api-role.ts';
import type { ApiServer } from '#text/api/api-server.ts';
import { keySlot, type useKeys } from './key-store.ts';
import { apiBase, normalBase } from './server-address.ts';
import type { PageSettings } from './settings-store.ts';

/** A server of OpenAI's API, as typed. */
export type TypedServer = Pick<PageSettings['liveModel'], 'base' | 'model'>;

/** A key belongs to one address, so that it never reaches another. */
export const apiKeySlot = (role: ApiRoleId, base: string): string => keySlot(role, normalBase(base));

/** Returns a server as it is asked. @param slot of its key, by default that of the address */
export const apiTarget = (
  role: ApiRoleId,
  { base, model }: TypedServer,
  { keys }: Pick<ReturnType<typeof useKeys.getState>, 'keys'>,
  slot = apiKeySlot(role, base),
): ApiServer & { model: string } => ({
  base: apiBase(base, API_ROLES[role].path),
  model: model.trim(),
  key: keys[slot]?.trim() ?? '',
});
