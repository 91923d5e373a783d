import { readFileSync } from 'node:fs';

/** A request, in the parts that are mutated. */
export interface HttpCall {
  method: string;
  target: string;
  /** Lines without `Host` and `Connection`. */
  headers: string[];
  body: string;
}

const QUOTED = /'([^']*)'|(\S+)/g;

/** Reads the `curl` lines of the documentation, which are valid calls. A body from a file is left out. */
function documentedCalls(name: string): HttpCall[] {
  const text = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line): HttpCall[] => {
    if (!line.startsWith('curl ')) return [];
    const words = [...line.matchAll(QUOTED)].map(([, quoted, plain = '']) => quoted ?? plain);
    const values = (option: string) => words.filter((_, at) => words[at - 1] === option);
    const address = words.find((word) => word.includes('127.0.0.1')) ?? '';
    const [body = ''] = values('-d');
    if (body.startsWith('@') || address.includes('$(') || words.includes('-F')) return [];
    return [
      {
        method: values('-X')[0] ?? (body === '' ? 'GET' : 'POST'),
        target: address.replace(/^[^/]*/, ''),
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

const get = (target: string): HttpCall => ({ method: 'GET', target, headers: [], body: '' });

/** Valid requests of every kind: calls of all vendors, upgrades of every endpoint, files of the page. */
export const VALID_CALLS: readonly HttpCall[] = [
  ...documentedCalls('kugel-api.md'),
  ...documentedCalls('murmr-api.md'),
  ...documentedCalls('elevenlabs.md'),
  upgradeTo('/kugel/ws/tts?api_key=local'),
  upgradeTo('/kugel/ws/tts/stream', ['X-API-Key: local']),
  upgradeTo('/kugel/ws/tts/multi', ['Authorization: Bearer local']),
  upgradeTo('/murmr/v1/realtime', ['Origin: http://127.0.0.1']),
  upgradeTo('/elevenlabs/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/stream-input', ['xi-api-key: local']),
  upgradeTo('/elevenlabs/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/multi-stream-input?authorization=local'),
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
