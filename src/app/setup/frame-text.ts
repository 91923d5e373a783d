import type { Endpoint, Settings } from '../../protocol/endpoint.ts';

/** The frames that open a connection with these settings, exactly as they leave; the key is in none of them. */
export const openingFrames = (endpoint: Endpoint, settings: Settings): string[] =>
  endpoint
    .openWire()
    .encode({ kind: 'open', settings })
    .filter((frame) => typeof frame === 'string');

/** Size on the wire, in bytes of UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
