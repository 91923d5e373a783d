import fc from 'fast-check';
import { expect, it } from 'vitest';
import { handshakeOf, keylessAddress, programHandshakeOf, readAddress } from './address.ts';
import type { SecretPlace } from './endpoint.ts';
import { privateProtocols, readProtocols } from './private-protocol.ts';
import { choiceSetting, integerSetting, settingsOf, switchSetting, textSetting } from './settings.ts';
import { z } from './zod.ts';

const WORDS = { title: '', group: 'Text', explanation: '' } as const;
const settings = settingsOf({
  voice: textSetting(z.string(), '', { ...WORDS, place: 'path' }),
  model: textSetting(z.string(), '', { ...WORDS, place: 'query' }),
  rate: choiceSetting([8000, 24_000], { ...WORDS, place: 'query' }),
  auto: switchSetting({ ...WORDS, place: 'query' }),
  seed: integerSetting(0, 9, WORDS),
});
const endpoint = {
  path: '/speak/{voice}/stream',
  keyPlace: { in: 'message' } as SecretPlace,
  settings,
  contexts: null,
};

it('an address carries the settings of path and query, and no others', () => {
  const address = keylessAddress(endpoint, 'ws://h/p', {
    voice: 'a/b c',
    model: 'm&1',
    rate: 8000,
    auto: true,
    seed: 3,
  });
  expect(address).toBe('ws://h/p/speak/a%2Fb%20c/stream?model=m%261&rate=8000&auto=true');
  expect(keylessAddress(endpoint, 'ws://h', { voice: 'a' })).toBe('ws://h/speak/a/stream');
});

it('an address is read back, also with fields of other programs and a fragment', () => {
  const base = fc.constantFrom('ws://h', 'wss://host.example:8/relay/vendor', '');
  const carried = fc.record(
    {
      voice: fc.string(),
      model: fc.string(),
      rate: fc.constantFrom(8000, 24_000),
      auto: fc.boolean(),
    },
    { requiredKeys: ['voice'] },
  );
  fc.assert(
    fc.property(base, carried, fc.constantFrom('', '?x=1', '#top'), (prefix, wanted, more) => {
      const address = keylessAddress(endpoint, prefix, wanted);
      const other = address.includes('?') ? more.replace('?', '&') : more;
      expect(readAddress(endpoint, address + other)).toEqual({ base: prefix, settings: wanted });
    }),
  );
  for (const foreign of ['ws://h/speak/a', 'ws://h/speak/a/b/stream', 'ws://h/speak/a/stream/more', ''])
    expect(readAddress(endpoint, foreign)).toBeNull();
});

it.each<[SecretPlace, string, object]>([
  [{ in: 'message' }, 'ws://h/a', { url: 'ws://h/a', protocols: [] }],
  [
    { in: 'message', token: { prefix: 's&', name: 'once' } },
    'ws://h/a?b=1',
    { url: 'ws://h/a?b=1&once=s%26t', protocols: [] },
  ],
  [{ in: 'message', token: { prefix: 'x', name: 'once' } }, 'ws://h/a', { url: 'ws://h/a', protocols: [] }],
  [{ in: 'query', name: 'k' }, 'ws://h/a', { url: 'ws://h/a?k=s%26t', protocols: [] }],
  [
    { in: 'query', name: 'k', token: { prefix: 's&', name: 'token' } },
    'ws://h/a',
    { url: 'ws://h/a?token=s%26t', protocols: [] },
  ],
  [
    { in: 'query', name: 'k', token: { prefix: 'x', name: 'token' } },
    'ws://h/a',
    { url: 'ws://h/a?k=s%26t', protocols: [] },
  ],
  [{ in: 'query', name: 'k' }, 'ws://h/a?b=1', { url: 'ws://h/a?b=1&k=s%26t', protocols: [] }],
  [
    { in: 'subprotocol', protocols: (key) => ['token', key] },
    'ws://h/a',
    { url: 'ws://h/a', protocols: ['token', 's&t'] },
  ],
  [
    { in: 'header', name: 'X-Key' },
    'ws://h/a',
    { url: 'ws://h/a', protocols: ['voicewire', 'voicewire.key.cyZ0'] },
  ],
])('a handshake carries the key in its place: %j', (keyPlace, address, handshake) => {
  expect(handshakeOf({ ...endpoint, keyPlace }, address, 's&t')).toEqual(handshake);
});

it('a program has the key in a header behind its scheme, and a page without a key offers nothing', () => {
  const keyPlace = { in: 'header', name: 'Authorization', scheme: 'Token' } as const;
  const headers = { Authorization: 'Token s&t' };
  expect(programHandshakeOf({ keyPlace }, 'ws://h', 's&t')).toEqual({
    url: 'ws://h',
    protocols: [],
    headers,
  });
  expect(handshakeOf({ ...endpoint, keyPlace }, 'ws://h', '')).toEqual({ url: 'ws://h', protocols: [] });
});

it('private subprotocols are read back, beside those of a vendor', () => {
  const characters = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at));
  const keys = fc.string({ unit: fc.constantFrom(...characters), minLength: 1 });
  const others = fc.array(fc.constantFrom('token', 'graphql-transport-ws', 'voicewire2'));
  fc.assert(
    fc.property(keys, others, fc.boolean(), (key, more, isFirst) => {
      const offered = privateProtocols(key);
      for (const protocol of offered) expect(protocol).toMatch(/^[\w.-]+$/);
      const all = isFirst ? [...offered, ...more] : [...more, ...offered];
      expect(readProtocols(all.join(', '))).toEqual({ isPrivate: true, key, others: more });
    }),
  );
  expect(readProtocols('token, sk')).toEqual({ isPrivate: false, key: null, others: ['token', 'sk'] });
});

it.each(['voicewire', 'voicewire.key.', 'voicewire.key.*', 'voicewire.key.YQ0KYjo', 'voicewire.key.w6k'])(
  'a subprotocol without a key that a header can have is private all the same: %s',
  (offered) => {
    expect(readProtocols(offered)).toEqual({ isPrivate: true, key: null, others: [] });
  },
);
