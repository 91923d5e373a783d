import { cartesiaEndpoints } from './cartesia/endpoints.ts';
import type { Endpoint, EndpointId, PageEndpointId, VendorName } from './core/endpoint.ts';
import { deepgramEndpoints } from './deepgram/endpoints.ts';
import { elevenLabsEndpoints } from './elevenlabs/endpoints.ts';
import { kugelEndpoints } from './kugel/endpoints.ts';
import { murmrEndpoints } from './murmr/endpoints.ts';

/** The one place that knows the vendors, in the order of the page. */
const BY_ID: { readonly [Id in EndpointId]: Endpoint<Id> } = {
  ...kugelEndpoints,
  ...murmrEndpoints,
  ...elevenLabsEndpoints,
  ...deepgramEndpoints,
  ...cartesiaEndpoints,
};

const REGISTERED: readonly Endpoint[] = Object.values(BY_ID);

const isOnPage = (endpoint: Endpoint): endpoint is Endpoint<PageEndpointId> => endpoint.usedBy === 'page';

/** The endpoints that the page offers, in its order. */
export const PAGE_ENDPOINTS: readonly Endpoint<PageEndpointId>[] = REGISTERED.filter(isOnPage);

/** All endpoints, also those that only other programs speak with. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...PAGE_ENDPOINTS,
  ...REGISTERED.filter((endpoint) => !isOnPage(endpoint)),
];

/** Returns the endpoint with this id; null for any other id. */
export const endpointNamed = (id: EndpointId | (string & {}) | null | undefined): Endpoint | null =>
  ENDPOINTS.find((endpoint) => endpoint.id === id) ?? null;

/** Returns the endpoint with this id; the first one for any other id. */
export const endpointOf = (id: EndpointId | (string & {}) | null | undefined): Endpoint =>
  endpointNamed(id) ?? kugelEndpoints['kugel-stream'];

/** Returns the name of a vendor's folders. */
export const vendorOf = ({ localPrefix }: Pick<Endpoint, 'localPrefix'>): VendorName =>
  localPrefix.slice(1) as VendorName;

/** The names of the vendors' folders. */
export const VENDORS: readonly VendorName[] = [...new Set(ENDPOINTS.map(vendorOf))];
