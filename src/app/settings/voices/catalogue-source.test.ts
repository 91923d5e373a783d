import { afterEach, describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { useKeys } from '../../stores/key-store.ts';
import { catalogueKey, restBase, withoutKeys } from './catalogue-source.ts';

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

describe('a server that repeats the key', () => {
  const KEY = 'canary-key-4711';
  const voice = {
    id: `voice-${KEY}`,
    name: `Nora ${KEY}`,
    description: `Speaks for ${KEY}`,
    sex: 'female',
    age: null,
    languages: ['de', KEY],
    settings: { voice_clone_prompt: KEY },
    sampleUrl: `https://host/${KEY}.wav`,
  };
  const before = useKeys.getState().keys;
  afterEach(() => useKeys.setState({ keys: before }));

  it('has voices without it in all that is shown, and as they are where a request needs them', async () => {
    useKeys.setState({ keys: { any: KEY } });
    expect(await withoutKeys(Promise.resolve([voice]))).toEqual([
      { ...voice, name: 'Nora [key]', description: 'Speaks for [key]', languages: ['de', '[key]'] },
    ]);
    const failing = withoutKeys(Promise.reject(new Error(`It said: no such key ${KEY}`)));
    await expect(failing).rejects.toThrow(/^It said: no such key \[key\]$/);
  });

  it('may repeat the key that everybody knows', async () => {
    useKeys.setState({ keys: { any: 'local' } });
    const local = { ...voice, name: 'local' };
    expect(await withoutKeys(Promise.resolve([local]))).toEqual([local]);
  });
});
