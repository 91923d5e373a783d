import { endpointNamed } from '#protocol/registry.ts';
import { restApiOf } from '#trace/rest-calls.ts';
import { SERVED_PATH } from '#trace/served-messages.ts';

/** Returns the addresses of a served recording: for clients, and for a page. @param origin of the page */
export function servedAddresses(
  id: string,
  endpointId: string,
  origin: string,
): { title: string; address: string }[] {
  const endpoint = endpointNamed(endpointId);
  const prefix = restApiOf(endpointId)?.localPrefix ?? endpoint?.localPrefix ?? '';
  const base = `${endpoint ? origin.replace(/^http/, 'ws') : origin}${SERVED_PATH}/${id}${prefix}`;
  return [
    { title: 'Base URL', address: base },
    ...(endpoint ? [{ title: 'Address', address: base + endpoint.path }] : []),
    { title: 'Link', address: `${origin}/?recording=${id}` },
  ];
}
