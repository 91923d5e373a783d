import { vendorHosts } from '#protocol/core/servers.ts';
import { ENDPOINTS } from '#protocol/registry.ts';

/** Headers of every response. COOP and COEP isolate the page, which shared memory requires. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(self), midi=(), payment=(), usb=()',
};

/** Content-Security-Policy of the pages of the protocol book, which have no script. */
export const BOOK_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Servers on this machine, on any port, such as one under development. */
const LOOPBACK = ['127.0.0.1:*', 'localhost:*'];

/** Hosts of the registry's endpoints, which the page may connect to. */
const VENDORS = vendorHosts(ENDPOINTS);

/** Origin of a `VOICEWIRE_CONNECT` entry; null if the address cannot be admitted. */
export function connectOrigin(text: string): { http: string; ws: string } | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search, hash, username, password } = new URL(text);
  // A policy cannot contain an IPv6 address.
  const isHost = /^[a-z0-9.-]+(:\d+)?$/i.test(host);
  if (!isHost || pathname.length > 1 || search || hash || username || password) return null;
  if (protocol === 'ws:' || protocol === 'http:') return { http: `http://${host}`, ws: `ws://${host}` };
  if (protocol === 'wss:' || protocol === 'https:') return { http: `https://${host}`, ws: `wss://${host}` };
  return null;
}

export interface PageOrigins {
  /** Host header of the page's request, checked by `isAllowedHost`. */
  host: string;
  /** Origins of `VOICEWIRE_CONNECT`. */
  extra: readonly { http: string; ws: string }[];
}

/**
 * Content-Security-Policy of the page: its own files, and connections to the hosts that a user can choose.
 * @param nonce for the style elements that the component library adds and removes
 * @param served `developing` admits what Vite adds to a page that it serves: its inline preamble, under the nonce, the
 * worker made from a blob in which it waits for a restarted server, and the policy of the page in the response of the
 * detector's worker, which compiles WebAssembly
 */
export function pagePolicy(
  nonce: string,
  { host, extra }: PageOrigins,
  served: 'built' | 'developing' = 'built',
): string {
  const developing = served === 'developing';
  const http = [
    ...LOOPBACK.map((each) => `http://${each}`),
    ...VENDORS.map((each) => `https://${each}`),
    ...extra.map((each) => each.http),
  ];
  const ws = [
    // Some browsers do not count sockets among 'self'. A policy cannot contain an IPv6 address.
    ...(host.startsWith('[') ? [] : [`ws://${host}`, `wss://${host}`]),
    ...LOOPBACK.map((each) => `ws://${each}`),
    ...VENDORS.map((each) => `wss://${each}`),
    ...extra.map((each) => each.ws),
  ];
  return [
    "default-src 'none'",
    `script-src 'self'${developing ? ` 'nonce-${nonce}' 'wasm-unsafe-eval'` : ''}`,
    `worker-src 'self'${developing ? ' blob:' : ''}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${[...ws, ...http].join(' ')}`,
    `media-src 'self' blob: ${http.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
