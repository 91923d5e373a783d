import { ENDPOINTS } from '#protocol/registry.ts';

/** Sent with every response. Isolation of the page is what gives it shared memory (COOP, COEP). */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()',
};

/** Servers on this machine, on any port: a client under development is one of them. */
const LOOPBACK = ['127.0.0.1:*', 'localhost:*'];

/** Hosts that the page may connect to besides its own: those of every endpoint of the registry. */
const VENDORS = ENDPOINTS.flatMap((endpoint) =>
  endpoint.servers.flatMap(({ base }) => (base === null ? [] : [new URL(base).host])),
);

/** `null` means that the address cannot be admitted; see `VOICEWIRE_CONNECT`. */
export function connectOrigin(text: string): { http: string; ws: string } | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const { protocol, host, pathname, search, hash, username, password } = url;
  // An IPv6 address cannot stand in a policy.
  const isHost = /^[a-z0-9.-]+(:\d+)?$/i.test(host);
  if (!isHost || pathname.length > 1 || search || hash || username || password) return null;
  if (protocol === 'ws:' || protocol === 'http:') return { http: `http://${host}`, ws: `ws://${host}` };
  if (protocol === 'wss:' || protocol === 'https:') return { http: `https://${host}`, ws: `wss://${host}` };
  return null;
}

export interface PageOrigins {
  /** The Host header that the page is asked for under, checked (`isAllowedHost`). */
  host: string;
  /** Admitted by whoever runs the server. */
  extra: readonly { http: string; ws: string }[];
}

/**
 * The page's policy: nothing but its own files, and connections to the hosts that a user can choose.
 * @param nonce for the style elements of the component library, which come and go with what they style
 * @param served `developing` admits what Vite adds to a page that it serves: its inline preamble, under the nonce, and
 * the worker made from a blob in which it waits for a restarted server
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
    // Some browsers do not count sockets among 'self'. An IPv6 address cannot stand in a policy.
    ...(host.startsWith('[') ? [] : [`ws://${host}`, `wss://${host}`]),
    ...LOOPBACK.map((each) => `ws://${each}`),
    ...VENDORS.map((each) => `wss://${each}`),
    ...extra.map((each) => each.ws),
  ];
  return [
    "default-src 'none'",
    `script-src 'self'${developing ? ` 'nonce-${nonce}'` : ''}`,
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
