import { fieldsOf } from '#protocol/core/json-frame.ts';
import type { RecordEntry } from '#record/record.ts';

/** Returns the address that an opening entry names; null for other entries. */
export function openedAddress(entry: Pick<RecordEntry, 'direction' | 'kind' | 'payload'>): string | null {
  if (entry.direction !== 'connection' || entry.kind !== 'opening') return null;
  const address = fieldsOf(entry.payload)?.address;
  return typeof address === 'string' ? address : null;
}
