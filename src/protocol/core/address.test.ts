import fc from 'fast-check';
import { expect, it } from 'vitest';
import { handshakeOf, keylessAddress, readAddress } from './address.ts';
import type { SecretPlace } from './endpoint.ts';
import { choiceSetting, integerSetting, settingsOf, switchSetting, textSetting } from './settings.ts';
import { z } from './zod.ts';

const WORDS = { title: '', group: '', explanation: '' };
const settings = settingsOf({
  voice: textSetting(z.string(), '', { ...WORDS, place: 'path' }),
  model: textSetting(z.string(), '', { ...WORDS, place: 'query' }),
  rate: choiceSetting([8000, 24_000], { ...WORDS, place: 'query' }),
  auto: switchSetting({ ...WORDS, place: 'query' }),
  seed: integerSetting(0, 9, WORDS),
});
const endpoint = { path: '/speak/{voice}/stream', keyPlace: { in: 'message' } as SecretPlace, settings };

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
  [{ in: 'query', name: 'k' }, 'ws://h/a', { url: 'ws://h/a?k=s%26t', protocols: [] }],
  [{ in: 'query', name: 'k' }, 'ws://h/a?b=1', { url: 'ws://h/a?b=1&k=s%26t', protocols: [] }],
  [
    { in: 'subprotocol', protocols: (key) => ['token', key] },
    'ws://h/a',
    { url: 'ws://h/a', protocols: ['token', 's&t'] },
  ],
])('a handshake carries the key in its place: %j', (keyPlace, address, handshake) => {
  expect(handshakeOf({ ...endpoint, keyPlace }, address, 's&t')).toEqual(handshake);
});
