import type { Endpoint, EndpointId, Protocol } from './core/endpoint.ts';
import { LateParts } from './late-parts.ts';
import { ENDPOINTS, endpointNamed } from './registry.ts';

const parts = new LateParts<Protocol>(
  'protocols',
  async (vendor) => (await import(`./${vendor}/protocols.ts`)).protocols,
);

/** Loads the protocols of endpoints; of all by default. Null where they have loaded. */
export const loadProtocols = (endpoints: readonly Endpoint[] = ENDPOINTS): Promise<unknown> | null =>
  parts.load(endpoints);

/** Loads the protocol of an endpoint by its id. Null where it has loaded, and for any other id. */
export function loadProtocolOf(id: string | null): Promise<unknown> | null {
  const endpoint = endpointNamed(id);
  return endpoint && loadProtocols([endpoint]);
}

/** The server and commands load all protocols at their start, a worker and a part of the page before they read any. @throws Error before that */
export const protocolOf = ({ id }: { id: EndpointId }): Protocol => parts.of(id);
