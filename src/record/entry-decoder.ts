import { readAddress } from '#protocol/core/address.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { RecordEntry } from './record.ts';

/** Opens the dialect of a connection that was recorded. @param address without its key, as the recording has it */
export const reopen = (endpoint: Endpoint, address: string): Dialect =>
  endpoint.open({ settings: readAddress(endpoint, address)?.settings ?? {}, key: '' });

/** The address that an opening entry names; null for other entries. */
export function openedAddress(entry: Pick<RecordEntry, 'direction' | 'kind' | 'payload'>): string | null {
  if (entry.direction !== 'connection' || entry.kind !== 'opening') return null;
  const address = fieldsOf(entry.payload)?.address;
  return typeof address === 'string' ? address : null;
}

/** Decodes the received frames of a recording, whose entries it takes in order. */
export class EntryDecoder {
  readonly #endpoint: Endpoint | undefined;
  readonly #dialects = new Map<number, Dialect>();

  /** @param endpoint its registry name; frames of an unknown one have no events */
  constructor(endpoint: string) {
    this.#endpoint = ENDPOINTS.find(({ id }) => id === endpoint);
  }

  /** The events of a received frame. None for any other entry. */
  take(entry: Pick<RecordEntry, 'direction' | 'kind' | 'connection' | 'payload'>): readonly SpeechEvent[] {
    const { connection, direction, payload } = entry;
    const endpoint = this.#endpoint;
    if (!endpoint || direction === 'player') return [];
    const address = openedAddress(entry);
    const dialect = (address === null && this.#dialects.get(connection)) || reopen(endpoint, address ?? '');
    this.#dialects.set(connection, dialect);
    if (direction === 'in') return dialect.decode(payload);
    // Some dialects derive the chunks from the frames that were sent.
    if (direction === 'out') for (const intent of endpoint.readIntents(payload)) dialect.encode(intent);
    return [];
  }
}
