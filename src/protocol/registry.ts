import { cartesia } from './cartesia/endpoints.ts';
import type { Endpoint, EndpointId, PageEndpointId } from './core/endpoint.ts';
import { deepgram, deepgramFlux } from './deepgram/endpoints.ts';
import { elevenLabsMulti, elevenLabsStream } from './elevenlabs/endpoints.ts';
import { kugelMulti, kugelStream, kugelTts } from './kugel/endpoints.ts';
import { murmr } from './murmr/endpoints.ts';

const ON_PAGE: { readonly [Id in PageEndpointId]: Endpoint<Id> } = {
  'kugel-stream': kugelStream,
  'kugel-multi': kugelMulti,
  murmr,
  'elevenlabs-stream': elevenLabsStream,
  'elevenlabs-multi': elevenLabsMulti,
  deepgram,
  'deepgram-flux': deepgramFlux,
  cartesia,
};
const OTHERS: { readonly [Id in Exclude<EndpointId, PageEndpointId>]: Endpoint<Id> } = {
  'kugel-tts': kugelTts,
};

/** The endpoints that the page offers, in its order. */
export const PAGE_ENDPOINTS: readonly Endpoint<PageEndpointId>[] = Object.values(ON_PAGE);

/** All endpoints, also those that only other programs speak with. */
export const ENDPOINTS: readonly Endpoint[] = [...PAGE_ENDPOINTS, ...Object.values(OTHERS)];

/** Returns the endpoint with this id; null for any other id. */
export const endpointNamed = (id: EndpointId | (string & {}) | null | undefined): Endpoint | null =>
  ENDPOINTS.find((endpoint) => endpoint.id === id) ?? null;

/** Returns the endpoint with this id; the first one for any other id. */
export const endpointOf = (id: EndpointId | (string & {}) | null | undefined): Endpoint =>
  endpointNamed(id) ?? kugelStream;
