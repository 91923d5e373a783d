import type { Endpoint, EndpointId } from './core/endpoint.ts';
import { kugelMulti } from './kugel/multi.ts';
import { kugelStream } from './kugel/stream.ts';
import { murmr } from './murmr/realtime.ts';

/** All endpoints, in the order of the page. */
export const ENDPOINTS: readonly Endpoint[] = [kugelStream, kugelMulti, murmr];

/** The endpoint with this id; the first one for any other id. */
export function endpointOf(id: EndpointId | (string & {}) | null | undefined): Endpoint {
  return ENDPOINTS.find((endpoint) => endpoint.id === id) ?? kugelStream;
}
