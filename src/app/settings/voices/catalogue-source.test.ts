import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { catalogueKey, restBase } from './catalogue-source.ts';

const origin = 'http://127.0.0.1:4173';

describe('where a catalogue is read from', () => {
  it.each([
    ['local', `${origin}/murmr`],
    ['relay', `${origin}/relay/murmr`],
    ['cloud', 'https://api.murmr.dev'],
  ])('the server %s of an endpoint has an address', (server, base) => {
    expect(restBase(endpointOf('murmr'), server, '', origin)).toBe(base);
  });

  it.each([
    ['ws://10.0.0.7:4173/prefix/', 'http://10.0.0.7:4173/prefix'],
    [' wss://host/a/b ', 'https://host/a/b'],
    ['', null],
    ['wss://host/a?api_key=secret', null],
    ['ftp://host', null],
  ])('a custom address %j', (custom, base) => {
    expect(restBase(endpointOf(null), 'custom', custom, origin)).toBe(base);
  });
});

describe('the name of a catalogue in the cache', () => {
  const name = (key: string) =>
    JSON.stringify(catalogueKey(endpointOf(null), 'voices', { base: 'https://host', key }));

  it('distinguishes keys without containing one', () => {
    expect(name('canary-key')).not.toContain('canary');
    expect(name('canary-key')).toBe(name('canary-key'));
    expect(name('another')).not.toBe(name('canary-key'));
  });
});
