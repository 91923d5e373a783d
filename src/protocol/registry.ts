import { cartesia } from './cartesia/speech.ts';
import type { Endpoint, EndpointId, PageEndpointId } from './core/endpoint.ts';
import { deepgramFlux } from './deepgram/flux.ts';
import { deepgram } from './deepgram/speak.ts';
import { elevenLabsMulti } from './elevenlabs/multi.ts';
import { elevenLabsStream } from './elevenlabs/stream.ts';
import { kugelMulti } from './kugel/multi.ts';
import { kugelStream } from './kugel/stream.ts';
import { kugelTts } from './kugel/tts.ts';
import { murmr } from './murmr/realtime.ts';

/** The endpoints that the page offers, in its order. */
export const PAGE_ENDPOINTS: readonly Endpoint<PageEndpointId>[] = [
  kugelStream,
  kugelMulti,
  murmr,
  elevenLabsStream,
  elevenLabsMulti,
  deepgram,
  deepgramFlux,
  cartesia,
];

/** All endpoints, also those that only other programs speak with. */
export const ENDPOINTS: readonly Endpoint[] = [...PAGE_ENDPOINTS, kugelTts];

/** Returns the endpoint with this id; null for any other id. */
export const endpointNamed = (id: EndpointId | (string & {}) | null | undefined): Endpoint | null =>
  ENDPOINTS.find((endpoint) => endpoint.id === id) ?? null;

/** Returns the endpoint with this id; the first one for any other id. */
export const endpointOf = (id: EndpointId | (string & {}) | null | undefined): Endpoint =>
  endpointNamed(id) ?? kugelStream;
