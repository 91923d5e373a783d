import type { Endpoint, Server } from './endpoint.ts';

type OwnServer = Pick<Server, 'id' | 'title'> & { base: string };

/** A working key of the local server, on every endpoint. It is an ordinary word and no secret. */
export const LOCAL_KEY = 'local';

/** The key of the local server that works within the vendors' real limits. */
export const LIMITED_KEY = 'local-limited';

/**
 * Whether a connection has the vendor's limits of sending. The local server applies them to one key only, with faults or
 * without. Behind its relay and in place of a recording it has them.
 */
export const hasVendorLimits = (
  { localPrefix }: Pick<Endpoint, 'localPrefix'>,
  { base, key }: { base: string; key: string },
): boolean =>
  key === LIMITED_KEY || new URL(base).pathname.replace(/^\/faults\/[^/]+(?=\/)/, '') !== localPrefix;

/** Returns the servers of an endpoint: the local one, those of the vendor, and the relay to the first of these. */
export const serversOf = (main: OwnServer, ...others: OwnServer[]): readonly Server[] => [
  { id: 'local', title: 'Local server', base: null, needsKey: false },
  ...[main, ...others].map((each) => ({ ...each, needsKey: true })),
  { id: 'relay', title: `${main.title}, relayed`, base: null, path: '/relay', needsKey: true },
];

/** Returns the hosts of the vendors' servers, each once. */
export const vendorHosts = (endpoints: readonly Endpoint[]): readonly string[] => {
  const bases = endpoints.flatMap(({ servers }) => servers.flatMap(({ base }) => base ?? []));
  return [...new Set(bases.map((base) => new URL(base).host))];
};
