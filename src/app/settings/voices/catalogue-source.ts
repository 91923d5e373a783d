import type { Endpoint } from '#protocol/core/endpoint.ts';
import { httpBase, serverBase } from '../../stores/server-address.ts';

export interface CatalogueSource {
  /** Host and prefix with an http scheme, without a trailing slash. */
  base: string;
  key: string;
}

/** Returns the REST address of a server; null where a custom address is invalid. */
export function restBase(...server: Parameters<typeof serverBase>): string | null {
  const base = serverBase(...server);
  return base === null ? null : httpBase(base);
}

const seen = new Map<string, number>();

/** A number for a key, the same for the same key as long as the page lives; says nothing about the key. */
function keyRevision(key: string): number {
  const known = seen.get(key) ?? seen.size;
  seen.set(key, known);
  return known;
}

/** Names a catalogue in the cache. The key itself must never be part of it. */
export const catalogueKey = (
  endpoint: Pick<Endpoint, 'id'>,
  what: 'voices' | 'dictionaries',
  source: CatalogueSource | null,
): readonly unknown[] => [
  'catalogue',
  endpoint.id,
  what,
  source?.base ?? null,
  source ? keyRevision(source.key) : null,
];
