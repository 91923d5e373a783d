import { keylessAddress, readAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { withoutNamedSecrets } from './secrets/named-secrets.ts';

/**
 * Returns the endpoint of an address by its host and path; null for an unknown one. Known are the hosts of a vendor, any host
 * with the vendor's prefix of this project's servers, behind relay and faults as well, and other hosts, such as a gateway's,
 * with a path that only one vendor has.
 */
export const endpointAt = (address: string): Endpoint | null =>
  (URL.canParse(address) && ENDPOINTS.find((endpoint) => isAt(endpoint, address))) || null;

function isAt(endpoint: Endpoint, address: string): boolean {
  const read = readAddress(endpoint, address);
  if (!read) return false;
  const { hostname } = new URL(address);
  if (read.base.endsWith(endpoint.localPrefix)) return true;
  const vendor = VENDORS.get(domainOf(hostname));
  return vendor === undefined ? !endpoint.hasCommonPath : vendor === endpoint.localPrefix;
}

/** The domain of a vendor's hosts, which differ by region. */
const domainOf = (hostname: string): string => hostname.split('.').slice(-2).join('.');

/** Prefixes of vendors by their domains. */
const VENDORS: ReadonlyMap<string, string> = new Map(
  ENDPOINTS.flatMap(({ localPrefix, servers }) =>
    servers.flatMap(({ base }): [string, string][] =>
      base === null ? [] : [[domainOf(new URL(base).hostname), localPrefix]],
    ),
  ),
);

/**
 * Drops user and password, and all of query and fragment but the settings of the endpoint, which may hold a key and
 * differ between connections.
 * @param endpoint of the address; null for an unknown one
 */
export function bareAddress(url: string, endpoint: Endpoint | null = endpointAt(url)): string {
  if (!URL.canParse(url)) return withoutNamedSecrets(url.split(/[?#]/, 1)[0] ?? '');
  const { protocol, host, pathname, search } = new URL(url);
  const plain = `${protocol}//${host}${pathname}`;
  const read = endpoint && readAddress(endpoint, `${plain}${search}`);
  return read ? keylessAddress(endpoint, read.base, read.settings) : plain;
}
