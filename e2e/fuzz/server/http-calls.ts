import { readdirSync, readFileSync } from 'node:fs';
import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { addressSettings } from './client-scripts.ts';

/** A request, in the parts that are mutated. */
export interface HttpCall {
  method: string;
  target: string;
  /** Lines without `Host` and `Connection`. */
  headers: string[];
  body: string;
}

const LOCAL_SERVER = '127.0.0.1:4173';
const QUOTED = /'([^']*)'|(\S+)/g;

const DOCS = new URL('../../../docs/', import.meta.url);

/** Reads the `curl` lines of a page of the documentation, which are valid calls. A body from a file is left out. */
function documentedCalls(page: string): HttpCall[] {
  const text = readFileSync(new URL(page, DOCS), 'utf8');
  return text.split('\n').flatMap((line): HttpCall[] => {
    if (!line.startsWith('curl ')) return [];
    const words = [...line.matchAll(QUOTED)].map(([, quoted, plain = '']) => quoted ?? plain);
    const values = (option: string) => words.filter((_, at) => words[at - 1] === option);
    const address = words.find((word) => word.startsWith(LOCAL_SERVER)) ?? '';
    const [body = ''] = values('-d');
    if (address === '' || body.startsWith('@') || address.includes('$(') || words.includes('-F')) return [];
    return [
      {
        method: values('-X')[0] ?? (body === '' ? 'GET' : 'POST'),
        target: address.replace(LOCAL_SERVER, ''),
        headers: values('-H'),
        body,
      },
    ];
  });
}

const upgradeTo = (target: string, headers: string[] = []): HttpCall => ({
  method: 'GET',
  target,
  headers: [
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ],
  body: '',
});

/** Headers in which programs send a key, at any vendor. */
const KEY_HEADERS = [`X-API-Key: ${LOCAL_KEY}`, `xi-api-key: ${LOCAL_KEY}`].concat(
  ['Bearer', 'Token'].map((scheme) => `Authorization: ${scheme} ${LOCAL_KEY}`),
);

/** The handshake of a page, and those of programs. */
function upgradesOf(endpoint: Endpoint): HttpCall[] {
  const address = keylessAddress(endpoint, endpoint.localPrefix, addressSettings(endpoint));
  const { url, protocols } = handshakeOf(endpoint, address, LOCAL_KEY);
  const offered = protocols.length > 0 ? [`Sec-WebSocket-Protocol: ${protocols.join(', ')}`] : [];
  return [upgradeTo(url, offered), ...KEY_HEADERS.map((header) => upgradeTo(address, [header]))];
}

const get = (target: string): HttpCall => ({ method: 'GET', target, headers: [], body: '' });

/** Valid requests of every kind: calls of all vendors, upgrades of every endpoint, files of the page. */
export const VALID_CALLS: readonly HttpCall[] = [
  ...readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .flatMap(documentedCalls),
  ...ENDPOINTS.flatMap(upgradesOf),
  upgradeTo('/murmr/v1/realtime', ['Origin: http://127.0.0.1']),
  upgradeTo('/faults/latency=2,jitter=2/kugel/ws/tts/stream?api_key=local'),
  upgradeTo('/capture?token=none', ['Origin: http://127.0.0.1', 'Sec-Fetch-Site: same-origin']),
  get('/faults/latency=2/kugel/v1/models'),
  get('/relay/kugel/v1/models'),
  get('/capture'),
  get('/'),
  get('/health'),
  get('/index.html'),
];

export const isUpgrade = ({ headers }: HttpCall): boolean => headers.some((line) => /^upgrade:/i.test(line));

/** The bytes of a request. @param host value of its Host header */
export function requestBytes(call: HttpCall, host: string): Uint8Array<ArrayBuffer> {
  const { method, target, headers, body } = call;
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    `Connection: ${isUpgrade(call) ? 'Upgrade' : 'close'}`,
    ...headers,
    ...length,
  ];
  return new Uint8Array(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`));
}
