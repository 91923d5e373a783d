import type { VendorName } from '#protocol/core/endpoint.ts';
import { cartesiaServer } from './cartesia/server.ts';
import { deepgramServer } from './deepgram/server.ts';
import { elevenLabsServer } from './elevenlabs/server.ts';
import { kugelServer } from './kugel/server.ts';
import { murmrServer } from './murmr/server.ts';
import type { VendorServer } from './vendor-server.ts';

/** The local server of each vendor. */
export const VENDOR_SERVERS: Readonly<Record<VendorName, VendorServer>> = {
  kugel: kugelServer,
  murmr: murmrServer,
  elevenlabs: elevenLabsServer,
  deepgram: deepgramServer,
  cartesia: cartesiaServer,
};
