import { decodeBase64, encodeBase64Url } from '#lib/base64.ts';

/**
 * A key that belongs into a header, as subprotocols that only the server of this project reads: a page can set no other
 * header of a handshake.
 */

/** Offered beside the key, so that the server can select one that is no secret. */
export const PRIVATE_PROTOCOL = 'voicewire';
/** Begins the one that holds the key. */
export const KEY_PROTOCOL = `${PRIVATE_PROTOCOL}.key.`;

export const privateProtocols = (key: string): readonly string[] =>
  key === '' ? [] : [PRIVATE_PROTOCOL, `${KEY_PROTOCOL}${encodeBase64Url(new TextEncoder().encode(key))}`];

/** What a client offers: its key, and the subprotocols that are the vendor's. */
export interface OfferedProtocols {
  isPrivate: boolean;
  /** Null without one that a header can have. */
  key: string | null;
  others: readonly string[];
}

/** @param offered as in the header */
export function readProtocols(offered: string): OfferedProtocols {
  const all = offered.split(',').map((protocol) => protocol.trim());
  const others = all.filter(
    (protocol) => protocol !== PRIVATE_PROTOCOL && !protocol.startsWith(KEY_PROTOCOL),
  );
  const written = all.find((protocol) => protocol.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  return {
    isPrivate: others.length < all.length,
    key: written === undefined ? null : keyIn(written),
    others,
  };
}

function keyIn(written: string): string | null {
  const base64 = written.replaceAll('-', '+').replaceAll('_', '/');
  const decoded = decodeBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, '='));
  const key = 'bytes' in decoded ? new TextDecoder().decode(decoded.bytes) : '';
  // Anything else would be no header, or begin another one.
  return /^[!-~]+$/.test(key) ? key : null;
}
