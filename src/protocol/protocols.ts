import { cartesiaProtocol } from './cartesia/protocols.ts';
import type { EndpointId, Protocol } from './core/endpoint.ts';
import { deepgramProtocols } from './deepgram/protocols.ts';
import { elevenLabsProtocols } from './elevenlabs/protocols.ts';
import { kugelProtocols } from './kugel/protocols.ts';
import { murmrProtocol } from './murmr/protocol.ts';

const PROTOCOLS: Readonly<Record<EndpointId, Protocol>> = {
  ...kugelProtocols,
  ...elevenLabsProtocols,
  ...deepgramProtocols,
  cartesia: cartesiaProtocol,
  murmr: murmrProtocol,
};

export const protocolOf = ({ id }: { id: EndpointId }): Protocol => PROTOCOLS[id];
