import type { Server } from '#protocol/core/endpoint.ts';
import { HAS_LOCAL_SERVER } from '../browser/local-server.ts';

/** Describes where a server is, for the second line of a choice. */
export function serverHint({ base, isRelayed }: Server): string {
  if (base !== null) return new URL(base).host;
  if (!HAS_LOCAL_SERVER) return 'none where this page is hosted';
  return isRelayed ? 'through this server, which can add faults' : 'no key, no account';
}
