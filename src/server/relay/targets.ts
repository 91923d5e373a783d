import { ENDPOINTS, vendorOf } from '#protocol/registry.ts';

/** Base addresses of the vendors' hosts, by the vendor's name in paths. */
export type RelayTargets = Readonly<Record<string, URL>>;

/** The vendors' public hosts. */
export const VENDOR_HOSTS: RelayTargets = Object.fromEntries(
  // A vendor's first server comes last, so that it wins.
  ENDPOINTS.toReversed().flatMap((endpoint) =>
    endpoint.servers
      .toReversed()
      .flatMap(({ base }) => (base === null ? [] : [[vendorOf(endpoint), new URL(base)]])),
  ),
);

/** Base address of a `VOICEWIRE_RELAY_…` variable; null for any other text. */
export function readTarget(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, search, hash, username, password } = url;
  const isBase = /^(?:ws|http)s?:$/.test(protocol);
  if (!isBase || search || hash || username || password || !isPlainPath(url.pathname)) return null;
  url.pathname = url.pathname.replace(/\/$/, '');
  url.protocol = protocol.replace('http', 'ws');
  return url;
}

/** The place of a request at a vendor. */
export interface Place {
  vendor: string;
  /** On the vendor's host. */
  path: string;
  /** Of the WebSocket. */
  address: URL;
}

/** Path of a relayed request. */
const RELAYED = /^\/relay\/([^/]*)(\/.*)?$/;

/** Returns the vendor's address of a relayed request, or why it has none; null for a path outside of the relay. */
export function placeOf(url: URL, targets: RelayTargets): Place | { status: number; why: string } | null {
  const [, vendor, path = '/'] = RELAYED.exec(url.pathname) ?? [];
  if (vendor === undefined) return null;
  const target = Object.hasOwn(targets, vendor) ? targets[vendor] : undefined;
  if (!target) return { status: 404, why: `expected /relay/ and one of ${Object.keys(targets).join(', ')}` };
  if (!isPlainPath(path))
    return { status: 400, why: 'the path may not contain "..", "//" or an encoded slash' };
  const address = new URL(target);
  address.pathname = `${target.pathname.replace(/\/$/, '')}${path}`;
  address.search = url.search;
  return { vendor, path, address };
}

/** Whether no server can read the path as another directory or host, however often it decodes it. */
function isPlainPath(path: string): boolean {
  const [, ...segments] = path.split('/');
  return segments.every((segment, at) => {
    const plain = decoded(segment);
    const isEmpty = plain === '' && at < segments.length - 1;
    return !isEmpty && plain !== '.' && plain !== '..' && !/[/\\\p{Cc}]/u.test(plain);
  });
}

/** Decodes until nothing is encoded, in one pass: a decoded character may end an earlier sequence. */
function decoded(text: string): string {
  const units: string[] = [];
  for (const unit of text) {
    units.push(unit);
    for (;;) {
      const [, hex] = /^%([0-9a-f]{2})$/i.exec(units.slice(-3).join('')) ?? [];
      if (hex === undefined) break;
      units.splice(-3, 3, String.fromCharCode(Number.parseInt(hex, 16)));
    }
  }
  return units.join('');
}
