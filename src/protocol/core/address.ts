import type { Endpoint, Settings } from './endpoint.ts';
import { privateProtocols } from './private-protocol.ts';
import type { Setting } from './settings.ts';

/** Addresses of connections, made from the description of an endpoint, and read back from recordings. */

/** The handshake of a connection. It holds the key, so it is never shown or stored. */
export interface Handshake {
  url: string;
  protocols: readonly string[];
}

interface ProgramHandshake extends Handshake {
  headers: Readonly<Record<string, string>>;
}

type Addressed = Pick<Endpoint, 'path' | 'keyPlace' | 'settings' | 'contexts'>;

/** A field of the path, such as `{voice}`. */
const PATH_FIELD = /\{(\w+)\}/g;

/** The address of a connection without its key, as it is shown and recorded. @param base host and prefix */
export function keylessAddress(endpoint: Addressed, base: string, settings: Settings): string {
  const { path } = endpoint;
  const filled = path.replace(PATH_FIELD, (_, field: string) =>
    encodeURIComponent(String(settings[field] ?? '')),
  );
  const query = new URLSearchParams();
  for (const { field, place } of describedIn(endpoint)) {
    const value = settings[field];
    if (place === 'query' && value !== undefined) query.append(field, String(value));
  }
  return `${base}${filled}${query.size > 0 ? `?${query}` : ''}`;
}

/**
 * The handshake of a page for an address of {@link keylessAddress}. A key that belongs into a header is in it as a private
 * subprotocol, which only the server of this project understands: the address of a vendor's own host gets no key.
 */
export function handshakeOf(endpoint: Addressed, address: string, key: string): Handshake {
  const { headers, ...handshake } = programHandshakeOf(endpoint, address, key);
  return Object.keys(headers).length === 0 ? handshake : { ...handshake, protocols: privateProtocols(key) };
}

/** The handshake of a program, which can set any header. */
export function programHandshakeOf(
  { keyPlace }: Pick<Addressed, 'keyPlace'>,
  address: string,
  key: string,
): ProgramHandshake {
  const handshake = { url: address, protocols: [], headers: {} };
  switch (keyPlace.in) {
    case 'message':
    case 'query': {
      const own = keyPlace.in === 'query' ? keyPlace.name : null;
      const name = keyPlace.token && key.startsWith(keyPlace.token.prefix) ? keyPlace.token.name : own;
      return name === null ? handshake : { ...handshake, url: withParameter(address, name, key) };
    }
    case 'subprotocol':
      return { ...handshake, protocols: keyPlace.protocols(key) };
    case 'header': {
      const { name, scheme } = keyPlace;
      return { ...handshake, headers: { [name]: scheme === undefined ? key : `${scheme} ${key}` } };
    }
  }
}

const withParameter = (address: string, name: string, value: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;

/** The inverse of {@link keylessAddress}: null for the address of another endpoint. Fields it does not know are left out. */
export function readAddress(
  endpoint: Addressed,
  address: string,
): { base: string; settings: Settings } | null {
  const { path } = endpoint;
  const [plain = '', query = ''] = address.split('#', 1)[0]?.split(/\?(.*)/s) ?? [];
  const found = patternOf(path).exec(plain);
  if (!found) return null;
  const [whole, ...values] = found;
  const fields = [...path.matchAll(PATH_FIELD)].map(([, field = '']) => field);
  const given = {
    path: new Map(fields.map((field, at) => [field, decoded(values[at] ?? '')])),
    query: new Map(new URLSearchParams(query)),
  };
  const settings: Record<string, unknown> = {};
  for (const { field, place, schema } of describedIn(endpoint)) {
    const text = place && given[place].get(field);
    if (text !== undefined) settings[field] = settingIn(text, schema);
  }
  return { base: plain.slice(0, -whole.length), settings };
}

/** Also those of a context, whose voice may be in the address. */
const describedIn = ({ settings, contexts }: Addressed): readonly Setting[] => [
  ...settings,
  ...(contexts?.settings ?? []),
];

const patternOf = (path: string): RegExp =>
  new RegExp(`${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(PATH_FIELD, '([^/]*)')}$`);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address carries text alone. The schema tells a number or a switch from a text that looks like one. */
function settingIn(text: string, schema: Setting['schema']): unknown {
  if (schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
