import type { Endpoint, EndpointId } from './core/endpoint.ts';
import { kugelMulti } from './kugel/multi.ts';
import { kugelStream } from './kugel/stream.ts';
import { murmr } from './murmr/realtime.ts';

/** Every endpoint that the page offers, in the order it offers them. */
export const ENDPOINTS: readonly Endpoint[] = [kugelStream, kugelMulti, murmr];

/** The endpoint of that name; the first one for any other name. */
export function endpointOf(id: EndpointId | (string & {}) | null | undefined): Endpoint {
  return ENDPOINTS.find((endpoint) => endpoint.id === id) ?? kugelStream;
}
