import type { Server } from '#protocol/core/endpoint.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';
import { CUSTOM_SERVER } from '../stores/settings-store.ts';

/** Returns servers as choices, each with where it is, and an address that is typed. */
export const serverOptions = (
  servers: readonly (Server & { name?: string })[],
  { label, hint = 'any server that speaks this protocol' }: { label: string; hint?: string | undefined },
) => [
  ...servers.map((server) => ({ value: server.id, label: server.title, hint: serverHint(server) })),
  { value: CUSTOM_SERVER, label, hint },
];

function serverHint({ base, path, name }: Server & { name?: string }): string {
  if (base !== null) return new URL(base).host;
  if (!HAS_LOCAL_SERVER) return 'none where this page is hosted';
  if (name !== undefined) return name;
  return path ? 'through this server, which can add faults' : 'no key, no account';
}
