import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '#protocol/registry.ts';
import { bareAddress, endpointAt } from './known-endpoint.ts';

/** The path of an endpoint with a voice in it. */
const pathOf = (path: string): string => path.replace(/\{\w+\}/g, 'a-voice');

describe.each(ENDPOINTS)('$id', ({ id, localPrefix, path: template, servers }) => {
  const path = pathOf(template);
  const hosts = servers.flatMap(({ base }) => (base === null ? [] : [base]));

  it.each([
    ...hosts,
    ...hosts.map((host) => host.replace(/\/\/[^.]+\./, '//region.')),
    `ws://127.0.0.1:4173${localPrefix}`,
    `ws://localhost:8080${localPrefix}`,
    `ws://127.0.0.1:4173/relay${localPrefix}`,
    `ws://127.0.0.1:4173/faults/latency=200,stall=3000@2/relay${localPrefix}`,
    `ws://127.0.0.1:4173/served/abc${localPrefix}`,
    `wss://voicewire.example/deep/${localPrefix.slice(1)}`,
  ])('is known at %s', (base) => {
    expect(endpointAt(`${base}${path}`)?.id).toBe(id);
    expect(endpointAt(`${base}${path}?api_key=x#y`)?.id).toBe(id);
  });

  it.each(
    ENDPOINTS.filter((other) => other.localPrefix !== localPrefix).flatMap((other) =>
      other.servers.flatMap(({ base }) => base ?? []),
    ),
  )('is unknown at another vendor: %s', (base) => {
    expect(endpointAt(`${base}${path}`)?.id ?? null).not.toBe(id);
  });

  it.each(['', '/', '/v1', '/metrics', `${path}/more`, `/x${path.replaceAll('/', '-')}`])(
    'is unknown at its hosts with the path %j',
    (other) => {
      for (const base of hosts) expect(endpointAt(`${base}${other}`)).toBeNull();
    },
  );
});

it.each([
  ['wss://api.openai.com/v1/realtime?model=gpt-realtime', null],
  ['wss://gateway.example/v1/realtime', null],
  ['wss://gateway.example/openai/v1/realtime', null],
  ['wss://my-resource.openai.azure.com/openai/v1/realtime', null],
  ['ws://localhost:8000/v1/realtime', null],
  ['ws://127.0.0.1:9000/v1/realtime?model=whisper', null],
  ['wss://murmr.dev.example/v1/realtime', null],
  ['wss://api.deepgram.com/v1/realtime', null],
  ['wss://api.murmr.dev/v1/realtime', 'murmr'],
  ['ws://127.0.0.1:4173/murmr/v1/realtime', 'murmr'],
  // A gateway of one's own, with a path that only one vendor has.
  ['wss://gateway.example/ws/tts/stream', 'kugel-stream'],
  ['ws://localhost:8080/v1/speak?model=aura-2', 'deepgram'],
  ['ws://127.0.0.1:4173/kugel/ws/tts?api_key=x', 'kugel-tts'],
  ['wss://other.example/ws', null],
  ['nonsense', null],
  ['', null],
])('the endpoint at %s is %s', (address, id) => {
  expect(endpointAt(address)?.id ?? null).toBe(id);
});

it('keeps the settings of an endpoint that is asked for, and nothing else of the query', () => {
  const endpoint = ENDPOINTS.find(({ id }) => id === 'deepgram') ?? null;
  const url = 'wss://me:secret@other.example/v1/speak?model=aura-2-thalia-en&key=abc';
  expect(bareAddress(url, endpoint)).toBe('wss://other.example/v1/speak?model=aura-2-thalia-en');
  expect(bareAddress(url, null)).toBe('wss://other.example/v1/speak');
});
