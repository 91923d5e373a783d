import { madeOnce } from '#lib/collections/maps.ts';
import { messageOf } from '#lib/message-of.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { neededRedaction } from '../../stores/page-redaction.ts';
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

/**
 * Replaces typed keys in rows of a catalogue and in the reason why there are none, because a server may repeat them.
 * Fields that are sent or fetched stay as they are.
 */
export async function withoutKeys<T extends { id: unknown; settings?: unknown; sampleUrl?: unknown }>(
  reading: Promise<T[]>,
): Promise<T[]> {
  const rows = await reading.catch(async (error: unknown) => {
    const redaction = await neededRedaction();
    throw redaction ? new Error(redaction.words(messageOf(error))) : error;
  });
  const redaction = await neededRedaction();
  if (!redaction) return rows;
  return rows.map((row) => {
    const { id, settings, sampleUrl, ...shown } = row;
    return { ...row, ...JSON.parse(redaction.json(shown)) };
  });
}

const seen = new Map<string, number>();

/** A number for a key, the same for the same key as long as the page lives; says nothing about the key. */
const keyRevision = (key: string): number => madeOnce(seen, key, () => seen.size);

/** Names a catalogue in the cache. The key itself must never be part of it. */
export const catalogueKey = (
  endpoint: Pick<Endpoint, 'id'>,
  what: 'voices' | 'dictionaries' | 'offered',
  source: CatalogueSource | null,
): readonly unknown[] => [
  'catalogue',
  endpoint.id,
  what,
  source?.base ?? null,
  source ? keyRevision(source.key) : null,
];
