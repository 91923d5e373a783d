import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { memoryStorage } from '../browser/testing/memory-storage.ts';

afterEach(() => vi.unstubAllGlobals());
// Other files of the thread must not get the stores that are loaded here.
afterAll(() => void vi.resetModules());

async function loadedWith(storage: Storage) {
  vi.stubGlobal('sessionStorage', storage);
  vi.resetModules();
  const { useKeys } = await import('./key-store.ts');
  return useKeys;
}

it('stores keys for the tab only while the user chooses so', async () => {
  const storage = memoryStorage();
  const keys = await loadedWith(storage);
  keys.getState().setKey('murmr/local', 'secret');
  expect(storage.length).toBe(0);

  keys.getState().setRemember(true);
  expect((await loadedWith(storage)).getState()).toMatchObject({
    keys: { 'murmr/local': 'secret' },
    remember: true,
  });

  keys.getState().setRemember(false);
  expect(storage.length).toBe(0);
  expect((await loadedWith(storage)).getState()).toMatchObject({ keys: {}, remember: false });
});

it.each(['{', '[1]', '{"murmr/local": 7}'])('starts without keys when storage holds %j', async (text) => {
  const keys = await loadedWith(memoryStorage([['voicewire.keys', text]]));
  expect(keys.getState()).toMatchObject({ keys: {}, remember: false });
});
